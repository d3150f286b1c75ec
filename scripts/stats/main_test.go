package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, turn.HistoryDir), 0o700); err != nil {
		t.Fatal(err)
	}
	const lines = `{"pai":"turn/1","request":"a","exec":{"dry_run":false,"applied":true,"steps":[],"phases":[{"phase":1,"steps":[1]}],"landlock":"off","summary":{"ok":0,"total":0,"success_rate":1}},"usage":[{"stage":"s","model":"m<1>","input":1000,"cached":0,"thinking":10,"output":90,"milliseconds":1500,"tries":1}],"x_time":"2026-11-21T12:00:00Z"}
{"pai":"turn/1","request":"b","usage":[{"stage":"s","model":"m<1>","input":500,"cached":0,"thinking":0,"output":100,"milliseconds":500,"tries":1}],"error":{"stage":"s","code":7,"message":"no"},"x_time":"2026-11-21T13:00:00Z"}
torn {"pai":
{"pai":"turn/1","request":"c","intent":{"kind":"chat","reply":"x"}}
`
	if err := os.WriteFile(filepath.Join(dir, turn.HistoryDir, "turns.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAI_PRICE_IN", "1")
	t.Setenv("PAI_PRICE_OUT", "10")
	t.Setenv("TZ", "UTC")
	page := filepath.Join(dir, "page.html")
	var out strings.Builder
	if err := run(&out, []string{dir}, page); err != nil {
		t.Fatal(err)
	}
	const want = `day         model  turns  applied  success  calls  tokens in  out  phases  seconds  money
(before)    none   1      0        100%     0      0          0    0       0.0      0.0000
2026-11-21  m<1>   2      1        50%      2      1500       200  1       2.0      0.0035
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "m&lt;1&gt;") || strings.Contains(string(html), "m<1>") || strings.Count(string(html), "<svg") != 6 {
		t.Errorf("the page: %v\n%s", err, html)
	}
	if err := run(&out, []string{t.TempDir()}, ""); err == nil {
		t.Error("a directory without a log is no error")
	}
}
