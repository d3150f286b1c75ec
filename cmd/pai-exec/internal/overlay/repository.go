package overlay

import (
	"path"
	"strings"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// repository reports whether a node is a repository of git's, under whatever name. What can't
// be looked at can't be entered either.
func (t *Tree) repository(n *node) bool {
	return n.Kind == disk.Directory && guard.Repository(func(name string) bool {
		k, err := t.child(n, name)
		return err == nil && k.Kind != disk.Absent
	})
}

// repositoriesMade are the directories that steps make repositories of git's, by the steps that
// touched what makes them one.
func (t *Tree) repositoriesMade() map[int]string {
	made := make(map[int]string)
	for p, step := range t.touched {
		if n := t.at(path.Dir(p)); n != nil && n.Kind == disk.Directory && t.repository(n) {
			made[step] = path.Dir(p)
		}
	}
	return made
}

// linked is why a path is denied, or a change of it a risk, because a link or a file that git
// reads leads to it from a name that is.
type linked struct{ denied, risk string }

// leads notes what the links in a directory lead to whose names are denied or a risk, and what a
// file named .git does: the same holds there. Of the root, the folders of tools count too.
func (t *Tree) leads(n *node) {
	if !n.onDisk || n.disk() == "" {
		return
	}
	if n == t.top {
		t.gitLeads(".git/config", 0)
		t.gitLeads(".git/config.worktree", 0)
	}
	kids, err := t.list(n)
	if err != nil {
		return // what can't be listed leads nobody
	}
	for _, k := range kids {
		folded := guard.Fold(k.name)
		switch {
		case k.Kind == disk.Directory && n == t.top && strings.HasPrefix(k.name, ".") && guard.DenyRule("", k.name) == "":
			t.leads(k)
		case k.Kind == disk.Link && k.onDisk:
			denied := guard.DenyRule(n.name, k.name)
			if guard.GoesAlong(k.name) {
				denied = ""
			}
			t.lead(k, k.Target, denied, guard.Risk(k.parts()))
		case folded == ".git" && k.Kind == disk.Regular:
			data, _, err := t.root.Read(k.disk(), maxPointer)
			if dir, ok := strings.CutPrefix(string(data), "gitdir: "); err == nil && ok {
				t.lead(k, strings.TrimRight(dir, "\r\n"), guard.DenyRule(n.name, k.name), "")
			}
		}
	}
}

// maxConfig is how long a file of git's configuration is that is read, in bytes.
const maxConfig = 1 << 20

// gitLeads notes what git's configuration has it run, and the files that it includes, of which
// deep says how many led here.
func (t *Tree) gitLeads(file string, deep int) {
	data, _, err := t.root.Read(file, maxConfig)
	if err != nil || deep == maxLinks {
		return // git reads none either
	}
	note := func(target, from, name string) string {
		if rest, ok := t.root.Within(target); ok {
			target = rest
		}
		if target = path.Join(from, target); path.IsAbs(target) || target == "." || target == ".." ||
			strings.HasPrefix(target, "../") {
			return ""
		}
		t.linked[target] = linked{risk: "git runs what it holds: its setting " + turn.Quote(name) + " leads there"}
		return target
	}
	for _, s := range guard.GitConfig(string(data)) {
		for _, target := range s.Runs() {
			note(target, "", s.Name)
		}
		if s.Includes() {
			if more := note(s.Value, path.Dir(file), s.Name); more != "" {
				t.gitLeads(more, deep+1)
			}
		}
	}
}

// maxPointer is how long a file is that says where a repository lies, in bytes.
const maxPointer = 8 << 10

// lead follows a target from the directory of a node, to its end.
func (t *Tree) lead(k *node, target, denied, risk string) {
	if denied == "" && risk == "" {
		return
	}
	if rest, ok := t.root.Within(target); ok {
		target = rest
	} else if strings.HasPrefix(target, "/") {
		return
	} else {
		target = path.Join(path.Dir(k.disk()), target)
	}
	why := linked{}
	if denied != "" {
		why.denied = denied + ", to which " + turn.Quote(k.path()) + " leads"
	}
	if risk != "" {
		why.risk = risk + ", since " + turn.Quote(k.path()) + " leads to it"
	}
	for range maxLinks {
		if target == "." || target == ".." || strings.HasPrefix(target, "../") {
			return
		}
		t.linked[target] = why
		st, err := t.root.Stat(target)
		if err != nil || st.Kind != disk.Link || strings.HasPrefix(st.Target, "/") {
			return
		}
		target = path.Join(path.Dir(target), st.Target)
	}
}

// riskLed is why a change of a path is a risk, by what leads to it or to a folder above it.
func (t *Tree) riskLed(p string) string {
	for ; p != "." && len(t.linked) > 0; p = path.Dir(p) {
		if why := t.linked[p].risk; why != "" {
			return why
		}
	}
	return ""
}
