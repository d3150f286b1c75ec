package turn

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"help", "undo", "log", "config", "version", "yes"}
	for word, want := range map[string]string{
		"hlep": "help", "hepl": "help", "halp": "help", "hellp": "help", "elp": "", "hel": "", "helpp": "help", "whelp": "help",
		"help": "", "lgo": "log", "lob": "", "og": "", "confg": "config", "udno": "undo", "unod": "undo", "yess": "yes", "esy": "", "eys": "yes",
		"versoin": "version", "conversion": "", "": "", "hl": "", "ヘルプス": "", "undoes": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
