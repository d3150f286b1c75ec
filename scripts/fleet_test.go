package scripts

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paicode/pkg/scripttest"
)

func TestFleet(t *testing.T) { fleet(t, 12) }

// fleet runs over two hosts, of which one is killed at a quarter, and is killed itself at half;
// the next run goes on with the host that is left. Nothing is lost, and nothing changed twice.
func fleet(t *testing.T, repositories int) {
	for _, tool := range []string{"parallel", "ssh", "ssh-keygen", "/usr/sbin/sshd"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " isn't installed")
		}
	}
	sample, env := demonstration(t)
	dir := t.TempDir()
	env = append(env, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config")
	var list []string
	for i := range repositories {
		list = append(list, fmt.Sprintf("%s/it's number %d", dir, i))
		if err := os.CopyFS(list[i], os.DirFS(sample)); err != nil {
			t.Fatal(err)
		}
	}
	hosts := newHosts(t, dir, env)
	start := func() *exec.Cmd {
		cmd := exec.Command(must(filepath.Abs("fleet/fleet")), "-o", dir+"/out", "--delay", "1", "add a power function to calculator.py",
			"--", "-j", "2", "--ssh", "ssh -F "+dir+"/ssh_config", "--sshlogin", "one,two")
		cmd.Env, cmd.Stdin = env, strings.NewReader(strings.Join(list, "\n")+"\n")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd
	}
	first := start()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	logged(t, dir, repositories/4)
	hosts[1].crash(t)
	logged(t, dir, repositories/2)
	if err := syscall.Kill(-first.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed

	out, err := start().CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("code 0: %d of %d\n", repositories, repositories)) {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("joblog:\n%s\n%s", shell(t, dir, env, "cut -f 1-4,7,8 out/joblog"), out)
	for i, repository := range list {
		text := read(t, repository+"/calculator.py")
		changes := shell(t, repository, env, "pai-exec --log")
		if strings.Count(text, "def power") != 1 || strings.Count(changes, "\n") != 1 {
			t.Errorf("%s: %s\n%s", repository, changes, text)
		}
		if doc := read(t, fmt.Sprintf("%s/out/documents/%d", dir, i+1)); !strings.Contains(doc, `"seal":`) {
			t.Errorf("document %d is %s", i+1, doc)
		}
	}
}

// logged waits until so many jobs have ended.
func logged(t *testing.T, dir string, jobs int) {
	for range 6000 {
		if data, err := os.ReadFile(dir + "/out/joblog"); err == nil && strings.Count(string(data), "\n") > jobs {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%d jobs didn't end in five minutes", jobs)
}

// host is an sshd on loopback.
type host struct{ cmd *exec.Cmd }

// newHosts starts two, "one" and "two" in ssh_config, whose sessions have our environment.
func newHosts(t *testing.T, dir string, env []string) (hosts []host) {
	shell(t, dir, env, `ssh-keygen -q -t ed25519 -N "" -f key && cp key.pub authorized_keys && ssh-keygen -q -t ed25519 -N "" -f host_key`)
	if os.Getuid() == 0 {
		shell(t, dir, env, "mkdir -p /run/sshd")
	}
	set := ` "SHLVL=2"` // has bash read no .bashrc, which does who knows what
	for _, name := range []string{"PATH", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GORACE"} {
		for _, variable := range env {
			if value, ok := strings.CutPrefix(variable, name+"="); ok && name != "PATH" || ok && strings.HasPrefix(value, scripttest.Build(t)) {
				set += fmt.Sprintf(" %q", variable)
			}
		}
	}
	clients := ""
	for _, name := range []string{"one", "two"} {
		port := freePort(t)
		config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host_key\nAuthorizedKeysFile %s/authorized_keys\nStrictModes no\nUsePAM no\n"+
			"PidFile none\nPermitRootLogin yes\nPasswordAuthentication no\nMaxStartups 100\nSetEnv%s\n", port, dir, dir, set)
		path := dir + "/sshd_" + name
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		h := host{exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", path)}
		if err := h.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.crash(t) })
		hosts = append(hosts, h)
		clients += fmt.Sprintf("Host %s\nHostName 127.0.0.1\nPort %d\nIdentityFile %s/key\nIdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n", name, port, dir)
	}
	if err := os.WriteFile(dir+"/ssh_config", []byte(clients), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if exec.Command("ssh", "-F", dir+"/ssh_config", "one", "true").Run() == nil && exec.Command("ssh", "-F", dir+"/ssh_config", "two", "true").Run() == nil {
			return hosts
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Skip("nobody can log in at an sshd of one's own here")
	return nil
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// crash ends a host with all that runs on it, at once.
func (h host) crash(t *testing.T) {
	for _, pid := range append([]int{h.cmd.Process.Pid}, children(t, h.cmd.Process.Pid)...) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	_ = h.cmd.Wait() // it was killed, the second time long ago
}

// children are the processes under one, those of the root's first.
func children(t *testing.T, pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue // it ended
		}
		for _, field := range strings.Fields(string(data)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			all = append(append(all, child), children(t, child)...)
		}
	}
	return all
}

// here runs a fleet on this machine and returns what it prints.
func here(t *testing.T, dir string, env []string, repositories string, args ...string) (code int, out string) {
	if _, err := exec.LookPath("parallel"); err != nil {
		t.Skip("parallel isn't installed")
	}
	cmd := exec.Command(must(filepath.Abs("fleet/fleet")), append([]string{"-o", dir + "/out", "--state", dir + "/state", "--delay", "1"}, args...)...)
	cmd.Env, cmd.Stdin = env, strings.NewReader(repositories)
	data, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(data)
}

// TestFleetLimit has the provider refuse the first question of a repository, which is queued
// again, and another one for good, which is asked once.
func TestFleetLimit(t *testing.T) {
	sample, env := demonstration(t)
	dir := t.TempDir()
	shell(t, dir, env, "mkdir first bin && cp -r "+sample+" second && cp -r "+sample+" \"it's\"")
	// This pai has a limit, and knows nobody in "first".
	shell(t, dir, env, `echo '{"execution_plan": {"steps": []}}' > unsealed.json`)
	fake := "#!/bin/sh\necho \"$2\" >>" + dir + "/asked\ncase $2 in\n*/first) exit 7 ;;\n*/second) [ -e " + dir + "/met ] || { : >" + dir + "/met; exit 8; } ;;\nesac\n" +
		"PATH=${PATH#*:} exec pai \"$@\"\n"
	if err := os.WriteFile(dir+"/bin/pai", []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+dir+"/bin:"+scripttest.Build(t)+":"+os.Getenv("PATH"))
	list := dir + "/first\n" + dir + "/second\n" + dir + "/it's\n"
	request := "add a power function to calculator.py, it's\nneeded \"here\" `touch x`"
	code, out := here(t, dir, env, list, request)
	asked := read(t, dir+"/asked")
	if code != 1 || !strings.Contains(out, "code 0: 2 of 3\ncode 7: 1 of 3\n") || strings.Count(asked, "first") != 1 || strings.Count(asked, "second") != 2 {
		t.Errorf("exit code %d, asked\n%s\n%s", code, asked, out)
	}
	for _, tt := range []struct {
		list, want string
		args       []string
	}{
		{list, "another request", []string{"something else"}},
		{list, "another request, plan or check", []string{"--check", "false", request}},
		{dir + "/second\n", "other repositories", []string{request}},
		{list + dir + "/first\n", "first stands twice", []string{request}},
		{"", "no repositories", []string{request}},
		{dir + "/second\n\n" + dir + "/first\n", "line 2 of the list isn't", []string{request}},
		{"second\n", "line 1 of the list isn't", []string{request}},
		{dir + "/a\x1b[m\n", "line 1 of the list isn't", []string{request}},
		{dir + "/first/\n" + dir + "/x/../first\n", "first stands twice", []string{request}},
		{list, "isn't sealed", []string{"--plan", dir + "/unsealed.json"}},
		{list, "can't be read", []string{"--plan", dir + "/none"}},
	} {
		if code, out := here(t, dir, env, tt.list, tt.args...); code != 2 || !strings.Contains(out, tt.want) {
			t.Errorf("%q: exit code %d\n%s", tt.args, code, out)
		}
	}
	// One more is done, and only that one.
	shell(t, dir, env, "rm asked && cp -r "+sample+" third")
	code, out = here(t, dir, env, list+dir+"/third\n", request)
	if asked := read(t, dir+"/asked"); code != 1 || !strings.Contains(out, "code 0: 3 of 4\n") || strings.Contains(asked, "second") {
		t.Errorf("exit code %d, asked\n%s\n%s", code, asked, out)
	}
}

// TestFleetReview stops before anything is applied, and applies what was read, without a model.
func TestFleetReview(t *testing.T) {
	sample, env := demonstration(t)
	dir := t.TempDir()
	shell(t, dir, env, "cp -r "+sample+" one && cp -r "+sample+" two")
	list, before := dir+"/one\n"+dir+"/two\n", shell(t, dir, env, "cat one/* two/*")
	const request = "add a power function to calculator.py"
	code, out := here(t, dir, env, list, "--review", request)
	if code != 1 || strings.Count(out, "waits for review") != 2 || shell(t, dir, env, "cat one/* two/*") != before {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if got := shell(t, dir, env, "jq -r '.exec.steps[0].diff' out/documents/2"); !strings.Contains(got, "+def power") {
		t.Errorf("document 2 has %s", got)
	}
	code, out = here(t, dir, append(env, "PAI_MODEL=replay:/nonexistent"), list, request)
	if code != 0 || !strings.Contains(out, "code 0: 2 of 2\n") || !strings.Contains(read(t, dir+"/two/calculator.py"), "def power") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestFleetKilled has pai-exec killed right after it applied: the next try finds the document, and
// the change in place.
func TestFleetKilled(t *testing.T) {
	sample, env := demonstration(t)
	dir := t.TempDir()
	shell(t, dir, env, "mkdir bin && cp -r "+sample+" one")
	fake := "#!/bin/sh\nPATH=${PATH#*:}\n[ -e " + dir + "/killed ] && exec pai-exec \"$@\"\npai-exec \"$@\" || exit $?\n" +
		"case \"$*\" in *--check*) : >" + dir + "/killed; kill -9 $$ ;; esac\n"
	if err := os.WriteFile(dir+"/bin/pai-exec", []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+dir+"/bin:"+scripttest.Build(t)+":"+os.Getenv("PATH"))
	code, out := here(t, dir, env, dir+"/one\n", "--check", "true", "add a power function to calculator.py")
	if code != 0 || !strings.Contains(out, "applied already") || strings.Count(read(t, dir+"/one/calculator.py"), "def power") != 1 {
		t.Errorf("exit code %d\n%s\n%s", code, out, read(t, dir+"/one/calculator.py"))
	}
	if _, err := os.Stat(dir + "/killed"); err != nil {
		t.Error("nothing was killed")
	}
}

// TestFleetPlan applies one sealed plan in two repositories, of which one is another tree.
func TestFleetPlan(t *testing.T) {
	sample, env := demonstration(t)
	dir := t.TempDir()
	shell(t, dir, env, "cp -r "+sample+" same && cp -r "+sample+" other && echo >> other/calculator.py && "+
		`pai-plan --root same "add a power function to calculator.py" | pai-exec --root same --dry-run > "it's sealed.json"`)
	other, err := scripttest.HashTree(dir + "/other")
	if err != nil {
		t.Fatal(err)
	}
	list := dir + "/same\n" + dir + "/other\n"
	for range 2 { // the second time the first one is left alone
		code, out := here(t, dir, env, list, "--plan", dir+"/it's sealed.json", "--check", "python3 -c 'import calculator; calculator.power'")
		if code != 1 || !strings.Contains(out, "code 0: 1 of 2\ncode 6: 1 of 2\n") {
			t.Errorf("exit code %d\n%s", code, out)
		}
	}
	if after, _ := scripttest.HashTree(dir + "/other"); after != other || !strings.Contains(read(t, dir+"/same/calculator.py"), "power") {
		t.Error("the wrong one changed")
	}
	if code, out := here(t, dir, env, list, "--plan", dir+"/it's sealed.json", "and a request"); code != 2 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
