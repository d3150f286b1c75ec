package workspace

import (
	"fmt"
	"strings"

	"paicode/pkg/turn"
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

// why says by which rule a path is denied: what the name usually holds, and
// where the rule stands. It is empty if no rule denies the path. The
// directories above it are judged by themselves.
func (r *Rules) why(parts []string, isDir bool) string {
	if rule := denyRule(parts[len(parts)-1]); rule != "" {
		if _, allowed := last(r.Allow, parts, isDir); !allowed {
			return rule
		}
	}
	if rule, found := last(r.Deny, parts, isDir); found {
		return "denied by " + rule.Source
	}
	return ""
}

// check judges a path by its words, every directory in it first.
func (r *Rules) check(path string, mayBeDir bool) error {
	parts := components(path)
	for i := range parts {
		isDir := i < len(parts)-1
		why := r.why(parts[:i+1], isDir)
		if why != "" && !isDir && mayBeDir && r.why(parts, true) == "" {
			why = ""
		}
		if why != "" {
			return denied(path, "is "+why)
		}
	}
	return nil
}

// Explain says whether a path is allowed, by which rule not, and where that
// stands.
func (t *Tree) Explain(path string) error {
	if err := CheckPath(path, true, true); err != nil {
		return err
	}
	if err := t.options.Rules.check(path, true); err != nil {
		return err
	}
	n, err := t.walk(path, true)
	if err != nil {
		return err
	}
	if n.kind == file {
		_, err = t.content(n, path)
	}
	return err
}

// riskOf says why a file of this name runs code by itself, without anybody
// calling it by name; empty if it doesn't. The list has what tools run when a
// person only enters, builds, installs, tests, commits or pushes.
func riskOf(parts []string) string {
	name := parts[len(parts)-1]
	folded := fold(name)
	for i, part := range parts {
		next := ""
		if i+1 < len(parts) {
			next = fold(parts[i+1])
		}
		switch dir := fold(part); {
		case dir == ".github" && (next == "" || next == "workflows" || next == "actions"), dir == ".circleci", dir == ".buildkite", dir == ".gitea", dir == ".forgejo":
			return "runs in CI, with the repository's rights"
		case dir == ".githooks" || dir == ".husky" || dir == "hooks" && gitHook(next):
			return "git runs it at a commit or a push"
		case dir == ".devcontainer" || dir == ".cargo" && (next == "" || strings.HasPrefix(next, "config")):
			return "tools read commands from it"
		case dir == ".vscode" || dir == ".idea" || dir == ".zed":
			return "the editor can run commands from it"
		}
	}
	switch folded {
	case ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", ".travis.yml", ".drone.yml", "bitbucket-pipelines.yml":
		return "runs in CI, with the repository's rights"
	case ".gitattributes", ".gitmodules", ".gitconfig", ".pre-commit-config.yaml", ".lfsconfig":
		return "git runs the filters, modules or hooks that it names"
	case ".envrc", ".tool-versions", "mise.toml", ".mise.toml", ".bashrc", ".profile", ".zshrc", ".bash_profile":
		return "a shell runs it on entering or on start"
	case "makefile", "gnumakefile", "makefile.am", "makefile.in", "configure", "configure.ac", "flake.nix", "shell.nix", "gemfile", "justfile", "taskfile.yml", "rakefile", "cmakelists.txt", "build.rs", "build.gradle", "build.gradle.kts", "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py", "tox.ini":
		return "a build or an installation runs commands from it"
	case "package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs":
		return "a package manager runs commands from it"
	case "conftest.py", "sitecustomize.py", "usercustomize.py":
		return "Python or its tests load it by themselves"
	case ".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".dir-locals.el", ".editorconfig.js":
		return "an editor runs it on opening a file"
	case "dockerfile", "docker-compose.yml", "compose.yaml", "compose.yml", "vagrantfile", "procfile":
		return "containers and services start from it"
	}
	if strings.HasSuffix(folded, ".mk") || strings.HasSuffix(folded, ".pth") {
		return "a build or Python loads it by itself"
	}
	return ""
}

// gitHook knows the names of git's hooks (githooks(5)).
func gitHook(name string) bool {
	switch name {
	case "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
		"commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
		"post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite":
		return true
	}
	return false
}

// Risks says for each step, by its index, why what it makes or changes runs
// code by itself: by the path that it resolves to, and by the one that the step
// names, which may lead there through a link.
func (n Net) Risks(steps []turn.Step) map[int]string {
	risks := make(map[int]string)
	add := func(step int, path string) {
		if risk := riskOf(components(path)); risk != "" && risks[step] == "" {
			risks[step] = turn.Shown(path) + ": " + risk
		}
	}
	for i, f := range n.Files {
		if f.New == nil {
			continue
		}
		add(n.Steps[i], f.New.Path)
	}
	for i, s := range steps {
		switch s.Action {
		case turn.ActionWrite, turn.ActionModify, turn.ActionTouch:
			add(i, s.Target)
		case turn.ActionMove:
			add(i, s.Destination)
		}
	}
	return risks
}
