package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitPai runs it off a terminal, where it asks nobody.
func TestGitPai(t *testing.T) {
	dir, env := demonstration(t)
	env = append(env, "PATH="+must(filepath.Abs("."))+":"+path(env), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "LC_ALL=C")
	shell(t, dir, env, "git init -q . && git add -A && git commit -qm start && mkdir below && echo mine > mine.txt")
	try := func(command, want string) {
		t.Helper()
		if got := shell(t, dir, env, command); !strings.Contains(got, want) {
			t.Errorf("%s prints\n%s, without %q", command, got, want)
		}
	}
	const request = `"add a power function to calculator.py"`
	try("git pai 2>&1; echo $?", "2\n")
	try("cd below && git pai --commit "+request+" >/dev/null 2>&1; echo $?; git status --porcelain", "3\n?? ")
	try("cd below && git pai --yes "+request+" --commit 2>&1", "committed ")
	try("git log -1 --format=%s%n%b --stat", "add a power function to calculator.py\n\n\n calculator.py | 4 ++++\n")
	try("git status --porcelain", "?? mine.txt\n")
	shell(t, dir, env, "git revert --no-edit HEAD >/dev/null 2>&1 && sed -i 1s/^/#/ calculator.py")
	try("git pai --commit --yes "+request+" 2>&1 >/dev/null; git log --oneline | wc -l", "changes of yours before\n3\n")
	try("git checkout -q . && for i in $(seq 1500); do : > $(printf 'untracked_%0100d' $i); done; sed -i 1s/^/#/ calculator.py; git pai --commit --yes "+request+" 2>&1 >/dev/null; git log --oneline | wc -l; rm untracked*", "changes of yours before\n3\n")
	try("git checkout -q . && git pai --commit --yes --check 'git add mine.txt' "+request+" 2>&1; git status --porcelain", "A  mine.txt\n")
	try("git reset -q; git revert --no-edit HEAD >/dev/null 2>&1; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; "+
		"git pai --commit --yes "+request+" 2>&1 >/dev/null; git diff --cached --name-only | wc -l", "applied, not committed\n0\n")
	try("rm .git/hooks/pre-commit; git checkout -q HEAD . ; "+
		`echo '{"execution_plan": {"steps": [{"action": "MKDIR", "target": "empty"}]}}' | git pai --commit --yes 2>&1`, "nothing in it that git keeps")
	try("git add -A; git pai --commit --yes "+request+" 2>&1; echo $?", "something is staged")
}

// path is the last PATH of an environment.
func path(env []string) (last string) {
	for _, variable := range env {
		if value, ok := strings.CutPrefix(variable, "PATH="); ok {
			last = value
		}
	}
	return last
}

// TestNeovim drives the plugin as a person would: the diff is shown, the cursor stays, a y typed
// elsewhere agrees to nothing, one in the diff's window applies.
func TestNeovim(t *testing.T) {
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("nvim isn't installed")
	}
	dir, env := demonstration(t)
	home := t.TempDir()
	script := home + "/trial.lua"
	if err := os.WriteFile(script, []byte(`
local said = {}
vim.notify = function(text) table.insert(said, text) end
local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then error('waiting for ' .. what .. ': ' .. vim.inspect(said)) end
end
local function has(word)
  return vim.fn.readfile('calculator.py') and table.concat(vim.fn.readfile('calculator.py'), '\n'):find(word, 1, true) ~= nil
end
local function diff()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.bo[buffer].filetype == 'diff' then return window, buffer end
  end
end
vim.cmd('edit calculator.py')
local here = vim.api.nvim_get_current_win()
vim.cmd('Pai add a power function to calculator.py')
wait('the diff', function() return diff() ~= nil end)
assert(vim.api.nvim_get_current_win() == here, 'the cursor went away')
vim.cmd('normal yy')
vim.wait(300)
assert(diff() and not has('power'), 'a y elsewhere agreed')
local window, buffer = diff()
local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
assert(text:find('+def power(a, b):', 1, true) and text:find('# MODIFY calculator.py', 1, true), text)

-- What isn't written is kept.
vim.api.nvim_set_current_win(here)
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# mine' })
vim.api.nvim_set_current_win(window)
vim.api.nvim_feedkeys('y', 'x', false)
wait('the refusal', function() return said[#said]:find('not written', 1, true) ~= nil end)
assert(diff() and not has('power'), 'it was applied all the same')
vim.api.nvim_set_current_win(here)
vim.cmd('undo')
vim.bo.modified = false

vim.api.nvim_set_current_win(window)
vim.api.nvim_feedkeys('y', 'x', false)
wait('the change', function() return said[#said] == 'pai: applied' end)
assert(has('def power') and not diff(), 'nothing was applied')
wait('the buffer', function() return vim.fn.search('def power', 'nw') > 0 end)
vim.cmd('PaiUndo')
wait('the undo', function() return not has('power') end)
vim.cmd('Pai Baca file /etc/passwd')
wait('the denial', function() return said[#said]:find('access denied', 1, true) ~= nil end)
io.stdout:write('all of it\n')
vim.cmd('qall!')
`), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nvim", "--headless", "-u", "NONE", "-n", "-c", "set autoread", "-c", "source "+must(filepath.Abs("pai.lua")), "-c", "luafile "+script, "-c", "cquit")
	cmd.Dir, cmd.Env = dir, append(env, "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all of it") {
		t.Errorf("%v\n%s", err, out)
	}
}
