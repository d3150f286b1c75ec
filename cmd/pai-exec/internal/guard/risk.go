package guard

import (
	"strings"
)

// Risk says why a file of this name runs code by itself, without anybody
// calling it by name; empty if it doesn't. The list has what tools run when a
// person only enters, builds, installs, tests, commits or pushes.
func Risk(parts []string) string {
	folded := Fold(parts[len(parts)-1])
	if why := riskByFolder(parts); why != "" {
		return why
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

// riskByFolder says the same of what stands in a folder of some name.
func riskByFolder(parts []string) string {
	for i, part := range parts {
		next := ""
		if i+1 < len(parts) {
			next = Fold(parts[i+1])
		}
		switch dir := Fold(part); {
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
