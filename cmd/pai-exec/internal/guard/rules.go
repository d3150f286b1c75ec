package guard

import (
	"fmt"
)

// Rules are what the person's own configuration and flags add to the rules
// that are built in. Nothing in the workspace can add to Allow.
type Rules struct {
	Deny  []Rule
	Allow []Rule // lifts what is denied by default, and nothing else
}

// Rule is a pattern in gitignore's syntax, from the root, and where it stands.
type Rule struct {
	Source string
	pattern
}

// ParseRules reads patterns, one a line; source names where they stand.
func ParseRules(text, source string) []Rule {
	var out []Rule
	for _, p := range parseIgnore(text) {
		out = append(out, Rule{fmt.Sprintf("%s line %d", source, p.line), p})
	}
	return out
}

// last finds the last rule that fits a path.
func last(rules []Rule, parts []string, isDir bool) (Rule, bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(parts, isDir) {
			return rules[i], !rules[i].negated
		}
	}
	return Rule{}, false
}

// Why says by which rule a path is denied: what the name usually holds, and
// where the rule stands. It is empty if no rule denies the path. The
// directories above it are judged by themselves.
func (r *Rules) Why(parts []string, isDir bool) string {
	folder := ""
	if len(parts) > 1 {
		folder = parts[len(parts)-2]
	}
	if rule := DenyRule(folder, parts[len(parts)-1]); rule != "" {
		if _, allowed := last(r.Allow, parts, isDir); !allowed {
			return rule
		}
	}
	if rule, found := last(r.Deny, parts, isDir); found {
		return "denied by " + rule.Source
	}
	return ""
}

// Check judges a path by its words, every directory in it first.
func (r *Rules) Check(path string, mayBeDir bool) error {
	parts := Components(path)
	for i := range parts {
		isDir := i < len(parts)-1
		why := r.Why(parts[:i+1], isDir)
		if why != "" && !isDir && mayBeDir && r.Why(parts, true) == "" {
			why = ""
		}
		if why != "" {
			return Denied(path, "is "+why)
		}
	}
	return nil
}
