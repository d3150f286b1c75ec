package main

import (
	"fmt"
	"strings"
)

const head = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pai: what turns cost</title>
<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --ink: #1c2733; --soft: #66758a; --line: #d9dfe7; --bar: #2f6fb3; --back: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --soft: #9aa7b8; --line: #35404e; --bar: #6ea8e6; --back: #12171d } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 2rem auto; max-width: 64rem; padding: 0 1rem }
h1 { font-size: 1.3rem } h2 { font-size: 1rem; margin: 1.6rem 0 .3rem }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 0 2rem }
svg { width: 100%; height: auto } rect { fill: var(--bar) } text { fill: var(--soft); font: 11px system-ui, sans-serif } line { stroke: var(--line) }
.table { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap } th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left }
th { color: var(--soft); font-weight: 600 }
</style></head><body>
<h1>What turns cost, and how they ended</h1>
`

// html is a page with a chart for each figure, by day, and the table.
func html(all []row) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString(`<div class="charts">`)
	by := days(all)
	for _, c := range []struct {
		title string
		of    func(row) float64
		unit  string
	}{
		{"Turns", func(r row) float64 { return float64(r.turns) }, "%.0f"},
		{"Success, in percent", row.success, "%.0f%%"},
		{"Questions", func(r row) float64 { return float64(r.calls) }, "%.0f"},
		{"Tokens", func(r row) float64 { return float64(r.tokensIn + r.tokens) }, "%.0f"},
		{"Seconds in which a model worked", func(r row) float64 { return r.seconds }, "%.1f"},
		{"Money", func(r row) float64 { return r.money }, "%.4f"},
	} {
		chart(&b, c.title, by, c.of, c.unit)
	}
	b.WriteString("</div>\n<h2>By day and model</h2>\n<div class=\"table\"><table><thead><tr>")
	for _, name := range []string{"day", "model", "turns", "applied", "success", "questions", "tokens in", "out", "phases",
		"seconds", "money"} {
		fmt.Fprintf(&b, "<th>%s</th>", name)
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, r := range all {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td><td>%d</td><td>%d</td><td>%.0f%%</td><td>%d</td><td>%d</td><td>%d</td><td>%d</td><td>%.1f</td><td>%.4f</td></tr>\n",
			escape(r.day), escape(r.model), r.turns, r.applied, r.success(), r.calls, r.tokensIn, r.tokens, r.phases, r.seconds,
			r.money)
	}
	b.WriteString("</tbody></table></div>\n</body></html>\n")
	return b.String()
}

// chart draws a bar for each day, the last thirty of them.
func chart(b *strings.Builder, title string, by []row, of func(row) float64, unit string) {
	const width, height, left, below, most = 420, 150, 4, 22, 30
	by = by[max(0, len(by)-most):]
	greatest := 0.0
	for _, r := range by {
		greatest = max(greatest, of(r))
	}
	fmt.Fprintf(b, "<section><h2>%s</h2><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s by day\">", escape(title),
		width, height, escape(title))
	step := float64(width-2*left) / float64(max(1, len(by)))
	for i, r := range by {
		tall := 0.0
		if greatest > 0 {
			tall = of(r) / greatest * (height - below - 16)
		}
		x := left + float64(i)*step
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"><title>%s: "+unit+
			"</title></rect>",
			x+step*.1, height-below-tall, min(step*.8, 48), tall, escape(r.day), of(r))
		if len(by) <= 8 {
			fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\">"+unit+"</text>", x+step*.1, height-below-tall-4, of(r))
		}
		if label := strings.TrimPrefix(r.day, r.day[:min(5, len(r.day))]); i == 0 || i == len(by)-1 || len(by) <= 8 {
			if r.day == undated {
				label = r.day
			}
			fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\">%s</text>", x+step*.1, height-6, escape(label))
		}
	}
	fmt.Fprintf(b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/></svg></section>\n", left, height-below, width-left,
		height-below)
}
