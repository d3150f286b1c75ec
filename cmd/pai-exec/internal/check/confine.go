package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"paicode/pkg/coverage"
)

// The versions of Landlock's interface from which it can do something.
const (
	abiTruncate = 3 // before, a file could be emptied that can't be written
	abiTCP      = 4
)

// writes are the rights of whoever may write in a directory.
const writes = landlock.AccessFSSet(ll.AccessFSWriteFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
	ll.AccessFSMakeReg |
	ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSMakeChar | ll.AccessFSMakeBlock | ll.AccessFSRefer |
	ll.AccessFSTruncate)

// confine takes from this process, and from all that it starts, the right to write outside of
// the root and of what checks need, and TCP if they are to be offline, as far as the kernel can. It
// reports whether it took the right to write.
func confine(o Options) (confined bool, err error) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return false, nil
	}
	var sets []any
	var rules []landlock.Rule
	if o.Confine && abi >= abiTruncate {
		sets = append(sets, writes)
		dirs := append(writable(os.Getenv), o.Write...)
		rules = append(rules, landlock.PathAccess(writes, append(dirs, ".")...).IgnoreIfMissing(),
			landlock.PathAccess(landlock.AccessFSSet(ll.AccessFSWriteFile|ll.AccessFSTruncate), devices()...).IgnoreIfMissing())
	}
	if o.Offline && abi >= abiTCP {
		sets = append(sets, landlock.AccessNetSet(ll.AccessNetBindTCP|ll.AccessNetConnectTCP))
	}
	if len(sets) == 0 {
		return false, nil
	}
	config, err := landlock.NewConfig(sets...)
	if err != nil {
		return false, err
	}
	return o.Confine && abi >= abiTruncate, config.Restrict(rules...)
}

// CanBeOffline reports whether the kernel can take TCP from a process.
func CanBeOffline() bool {
	abi, err := ll.LandlockGetABIVersion()
	return err == nil && abi >= abiTCP
}

// devices are the files outside that every program writes to.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}
}

// cache is a folder outside the root that a tool writes to while it builds and tests: what it
// can make or fetch again, never what it runs at other times or is configured by.
type cache struct {
	marker   string // is made if this file is in the root, or in a folder there; empty: it must be there
	variable string // that names it
	home     string // under the home, if the variable isn't set
	cached   string // under the user's cache folder, if the variable isn't set
}

// caches lists the cache folders of compilers and package managers, from their manuals.
func caches() []cache {
	return []cache{
		{"go.mod", "GOCACHE", "", "go-build"},
		{"go.mod", "GOMODCACHE", "go/pkg", ""},
		{"", "GOLANGCI_LINT_CACHE", "", "golangci-lint"},
		{"", "STATICCHECK_CACHE", "", "staticcheck"},
		{"", "", "", "gopls"},
		{"", "PIP_CACHE_DIR", "", "pip"},
		{"", "UV_CACHE_DIR", "", "uv"},
		{"", "", "", "pypoetry/cache"},
		{"", "", "", "pypoetry/artifacts"},
		{"", "PIPENV_CACHE_DIR", "", "pipenv"},
		{"", "PYTHONPYCACHEPREFIX", "", ""},
		{"", "RUFF_CACHE_DIR", "", "ruff"},
		{"", "MYPY_CACHE_DIR", "", "mypy"},
		{"package.json", "npm_config_cache", ".npm/_cacache", ""},
		{"package.json", "npm_config_logs_dir", ".npm/_logs", ""},
		{"", "YARN_CACHE_FOLDER", "", "yarn"},
		{"", "", ".yarn/berry/cache", ""},
		{"", "", ".local/share/pnpm/store", ""},
		{"", "", "", "pnpm"},
		{"", "", "", "node-gyp"},
		{"", "", "", "typescript"},
		{"", "", ".bun/install/cache", ""},
		{"", "DENO_DIR", "", "deno"},
		{"", "", "", "ms-playwright"},
		{"Cargo.toml", "", ".cargo/registry", ""},
		{"", "", ".cargo/git", ""},
		{"", "CARGO_TARGET_DIR", "", ""},
		{"", "SCCACHE_DIR", "", "sccache"},
		{"", "CCACHE_DIR", ".ccache", ""},
		{"", "", "", "ccache"},
		{"", "", "", "zig"},
		{"gradlew", "", ".gradle/caches", ""},
		{"gradlew", "", ".gradle/daemon", ""},
		{"", "", ".gradle/native", ""},
		{"", "", ".gradle/notifications", ""},
		{"pom.xml", "", ".m2/repository", ""},
		{"", "", ".ivy2/cache", ""},
		{"", "", ".sbt/boot", ""},
		{"", "", "", "coursier"},
		{"", "", ".bundle/cache", ""},
		{"", "COMPOSER_CACHE_DIR", "", "composer"},
		{"", "NUGET_PACKAGES", ".nuget/packages", ""},
		{"", "", ".cabal/packages", ""},
		{"", "", ".hex/packages", ""},
		{"", "", "", "bazel"},
		{"", "", "", "bazelisk"},
		{"", "TF_PLUGIN_CACHE_DIR", "", ""},
	}
}

// writable are the directories outside the root that checks may write to: temporary ones, and
// caches.
func writable(getenv func(string) string) []string {
	dirs := []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm", "/dev/pts"}
	for _, variable := range []string{"TMPDIR", "GOTMPDIR", "GOCOVERDIR"} {
		dirs = append(dirs, getenv(variable))
	}
	dirs = append(dirs, coverage.Dir())
	home, cached := getenv("HOME"), getenv("XDG_CACHE_HOME")
	if cached == "" && home != "" {
		cached = filepath.Join(home, ".cache")
	}
	for _, c := range caches() {
		dir := c.dir(getenv, home, cached)
		if !filepath.IsAbs(dir) {
			continue
		}
		if c.used() {
			_ = os.MkdirAll(dir, 0o755) // where that fails, so would the tool
		}
		dirs = append(dirs, dir)
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return opensTooMuch(dir, home) })
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// used reports whether the project uses the tool.
func (c cache) used() bool {
	for _, pattern := range []string{c.marker, "*/" + c.marker, "*/*/" + c.marker} {
		if found, err := filepath.Glob(pattern); c.marker != "" && err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// dir is where the cache is; empty if that isn't known.
func (c cache) dir(getenv func(string) string, home, cached string) string {
	switch dir := getenv(c.variable); {
	case c.variable != "" && dir != "":
		return dir
	case c.home != "" && home != "":
		return filepath.Join(home, c.home)
	case c.cached != "" && cached != "":
		return filepath.Join(cached, c.cached)
	}
	return ""
}

// opensTooMuch tells of what isn't there, and of what leads to all of the home or to all there
// is, however it is called; the temporary folders may have a home in them.
func opensTooMuch(dir, home string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || real == "/" {
		return true
	}
	if realHome, err := filepath.EvalSymlinks(home); err == nil && home != "" {
		home = realHome
	}
	return home != "" && strings.HasPrefix(home+"/", real+"/") && real != "/tmp" && real != "/var/tmp"
}
