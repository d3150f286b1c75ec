package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"

	"paicode/pkg/coverage"
	"paicode/pkg/credentials"
	"paicode/pkg/model"
)

// lock takes from the process, where the kernel has Landlock, all files but those that
// questions need: the person's configuration, certificates, what name resolution reads, and
// where answers are kept or replayed. It isn't done for a model that is a program of the
// person's own, which has its own rights.
func lock(name string, k keep) {
	if model.RunsProgram(name) {
		return
	}
	dirs, files := readable()
	if dir, ok := strings.CutPrefix(name, model.PrefixReplay); ok {
		dirs = append(dirs, dir)
	}
	rules := []landlock.Rule{
		landlock.RODirs(dirs...).IgnoreIfMissing(),
		landlock.ROFiles(files...).IgnoreIfMissing(),
		landlock.RWFiles("/dev/null").IgnoreIfMissing(),
	}
	for _, dir := range []string{k.record, k.cache, coverage.Dir()} {
		if dir != "" {
			rules = append(rules, landlock.RWDirs(dir))
		}
	}
	// The error means that the kernel can't; there is nothing to do then.
	_ = landlock.V5.BestEffort().RestrictPaths(rules...)
}

// readable are the directories and files that may be read, with what links among them lead to:
// what Landlock allows is the thing itself.
func readable() (dirs, files []string) {
	dirs = []string{"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/share/ca-certificates",
		"/usr/local/share/ca-certificates"}
	if path := credentials.Path(); path != "" {
		dirs = append(dirs, filepath.Dir(path))
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("SSL_CERT_DIR"))...)
	files = []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/etc/protocols",
		"/etc/mdns.allow"}
	if file := os.Getenv("SSL_CERT_FILE"); file != "" {
		files = append(files, file)
	}
	links := slices.Clone(files)
	for _, dir := range append(dirs, "/etc/ssl/certs", "/etc/pki/tls/certs") {
		entries, _ := os.ReadDir(dir) // most systems have some of them
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				links = append(links, filepath.Join(dir, e.Name()))
			}
		}
	}
	for _, link := range links {
		if dir := targetDir(link); dir != "" && !slices.ContainsFunc(dirs, func(d string) bool { return within(dir, d) }) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, files
}

// targetDir is the directory of what a link leads to: with the directory, a file that takes the
// place of the one there can be read too, as name resolution's do when the network changes.
// Empty where there is no link, and for the directories that hold everything.
func targetDir(link string) string {
	to, err := os.Readlink(link)
	if err != nil {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(link), to)
	}
	if within(to, "/usr/share/ca-certificates") || filepath.Dir(to) == filepath.Dir(link) {
		return "" // some hundred lead there, or to their neighbours, which are looked at themselves
	}
	real, err := filepath.EvalSymlinks(to)
	if dir := filepath.Dir(real); err == nil && dir != "/" && dir != "/etc" {
		return dir
	}
	return ""
}

// within reports whether a path is a directory or is in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
