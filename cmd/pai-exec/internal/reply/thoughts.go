package reply

import (
	"regexp"
	"slices"
	"strings"

	"paicode/pkg/lazyregexp"
)

var (
	endsForm   = lazyregexp.New(`^(.*?)(</(?:think|thinking|thought|thoughts|reasoning|analysis)>|<\|channel\|>final<\|message\|>|\bassistantfinal)(.*\n?)$`)
	beginsForm = lazyregexp.New(`^\s*(<(think|thinking|thought|thoughts|reasoning|analysis)>|<\|channel\|>analysis)`)
)

// withoutThoughts leaves out what some models think aloud before their answer, also where
// only its end is marked, and returns how many lines are gone. A mark inside a fence that
// ends is part of a file.
func withoutThoughts(lines []string) (rest []string, skipped int) {
	ends := endsForm()
	begins := beginsForm()
	think, begun := false, false
	var f fences
	rest = lines
	for i, line := range lines {
		m := ends.FindStringSubmatch(line)
		if m != nil && (think || !f.open() || !closesLater(lines[i+1:], f)) && (think || marksEnd(m)) {
			rest, skipped, think, begun, f = lines[i+1:], i+1, false, false, fences{}
			if line = m[3]; strings.TrimSpace(line) == "" {
				continue
			}
			rest, skipped = append([]string{line}, rest...), i
		}
		if begins.MatchString(line) && !begun {
			think = true
		}
		if begun = begun || strings.TrimSpace(line) != ""; !think {
			f.take(line)
		}
	}
	if think {
		return nil, len(lines)
	}
	return rest, skipped
}

// marksEnd tells of a mark that ends thoughts, which is at an end of its line.
func marksEnd(m []string) bool {
	return m[2] == "assistantfinal" || strings.TrimSpace(m[1]) == "" || strings.TrimSpace(m[3]) == "" ||
		strings.HasPrefix(strings.TrimSpace(m[3]), "#")
}

// closesLater reports whether an open fence ends in some lines.
func closesLater(lines []string, f fences) bool {
	for _, line := range lines {
		switch f.take(line) {
		case closes:
			return true
		case nested:
			return false
		}
	}
	return false
}

func blank(lines []string) bool { return strings.TrimSpace(strings.Join(lines, "")) == "" }

var endTokenForm = lazyregexp.New(`^\s*(?:<\|(?:im_end|endoftext|end|eot_id|eom_id|end_of_text|return)\|>|<end_of_turn>|</s>|<eos>|<｜end▁of▁sentence｜>)\s*$`)

// withoutEndToken are a file's lines without a last one that is nothing but the mark of a
// chat's end.
func withoutEndToken(lines []string) []string {
	ends := endTokenForm()
	// the file is about such marks
	about := func(line string) bool { return strings.Contains(line, "<|") || strings.Contains(line, "<think>") }
	if at := len(lines) - 1 - blankEnd(lines); at > 0 && ends.MatchString(lines[at]) &&
		!slices.ContainsFunc(lines[:at], about) {
		return lines[:at]
	}
	return lines
}

// withoutTokens leaves out the marks of a model's own chat that some servers let through: at
// the ends of lines, and at both ends of the reply.
func withoutTokens(reply string) string {
	const special = `(?:<\|[a-z_]+\|>|<end_of_turn>|<start_of_turn>|\[/?INST\])`
	reply = regexp.MustCompile(`^\s*(?:(?:`+special+`|<s>)\s*(?:assistant|model)?\s*)+`).ReplaceAllString(reply, "")
	reply = regexp.MustCompile(`(?:\s*(?:`+special+`|</s>|<eos>))+\s*$`).ReplaceAllString(reply, "\n")
	return regexp.MustCompile(`(?m)([^\s>])`+special+`[ \t]*$`).ReplaceAllString(reply, "$1")
}
