package guard

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Entry is a line of a list that is built in: names, and why they are there. A name is
// compared folded, at any depth; a star stands for anything. "a/b" is b in a
// folder a, "a/" and "a/b/" are everything in one, and the folder itself.
type Entry struct {
	Names string // blanks between them
	Why   string
}

// Why names are denied.
const (
	ruleGit     = "denied: git's own data"
	ruleVCS     = "denied: a version control's own data"
	ruleSecret  = "denied: it may hold secrets"
	ruleEnv     = "denied: an environment or its packages"
	ruleEditor  = "denied: an editor's settings can run code"
	ruleHistory = "denied: Pai's own data"
)

// DenyList lists what is denied wherever it is in a path; of two names that fit, the one of
// an entry without a reason counts. A repository of git under another name is denied too, by
// what it holds.
func DenyList() []Entry {
	return []Entry{
		{".git git~1 .git-credentials", ruleGit},
		{".hg .svn .jj .bzr", ruleVCS},
		{"venv .venv __pycache__ node_modules", ruleEnv},
		{".idea .vscode", ruleEditor},
		{".pai_history", ruleHistory},
		{".env .env.* .env_* *.env .dev.vars", ruleSecret},
		{".env.example .env.sample .env.template .env.dist .env.defaults .env.schema .env.d.ts .env.*.example", ""},
		{".env.*.sample .env.*.template .env.example.* .env.sample.*", ""},
		{"example.env examples.env sample.env template.env dist.env *.example.env *.sample.env *.template.env", ""},
		{".ssh .aws .gnupg .netrc _netrc .authinfo .authinfo.gpg .pypirc .pgpass .my.cnf .mylogin.cnf", ruleSecret},
		{".s3cfg .htpasswd .vault-token credentials*.json", ruleSecret},
		{".kube/config .docker/config.json .cargo/credentials .cargo/credentials.toml", ruleSecret},
		{"gcloud/application_default_credentials.json .streamlit/secrets.toml", ruleSecret},
		{"credentials*.example.json credentials*schema.json", ""},
		{"*.tfstate *.tfstate.* *.kdbx", ruleSecret},
		{keyStores, ruleSecret},
		{"id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk ssh_host_*_key", ruleSecret},
		{"id_rsa.* id_dsa.* id_ecdsa.* id_ed25519.* id_rsa_* id_dsa_* id_ecdsa_* id_ed25519_* id_rsa-*", ruleSecret},
		{"id_dsa-* id_ecdsa-* id_ed25519-*", ruleSecret},
		{"id_*.pub id_*.md id_*.rst id_*.go id_*.py id_*.rb id_*.rs id_*.js id_*.ts id_*.java id_*.kt id_*.c", ""},
		{"id_*.cc id_*.cpp id_*.h id_*.cs id_*.swift id_*.php ..env", ""},
	}
}

// keyStores are files of keys and certificates. Packages bring some along for their tests.
const keyStores = "*.pem *.pem.* *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.keytab"

// Why a change of a file is a risk.
const (
	runsInCI     = "runs in CI, with the repository's rights"
	runsByGit    = "git runs the filters, modules or hooks that it names"
	runsInShell  = "a shell runs it on entering or on start"
	runsInEditor = "an editor or debugger runs it on opening a folder or a file"
	runsInAgent  = "a coding agent reads from it what it may run, and runs it"
	runsInBuild  = "a build or an installation runs commands from it"
	runsInTests  = "tests or checks load it by themselves"
	runsServices = "containers and services start from it"
)

// RiskList lists what runs by itself: when a person enters a folder, opens it, uses git, pushes,
// or starts an agent. A change of it needs a yes of its own.
func RiskList() []Entry {
	return []Entry{
		{".github .github/workflows/ .github/actions/ .circleci/ .buildkite/ .gitea/ .forgejo/ .woodpecker/", runsInCI},
		{".semaphore/ .tekton/ .teamcity/ .builds/ .azure-pipelines/ .gitlab/ci/", runsInCI},
		{".gitlab-ci.* jenkinsfile jenkinsfile.* azure-pipelines.* .travis.* .drone.* bitbucket-pipelines.yml", runsInCI},
		{".woodpecker.* .cirrus.* appveyor.yml .appveyor.yml buildspec.yml cloudbuild.yaml .build.yml", runsInCI},
		{"zuul.yaml", runsInCI},
		{".gitattributes .gitmodules .gitconfig .lfsconfig gitatt~1 gitmod~1 git/config .hgrc", runsByGit},
		{".pre-commit-config.yaml prek.toml hk.pkl", runsByGit},
		{".githooks/ githooks/ .git-hooks/ git-hooks/ git_hooks/ .hooks/ .husky/ .huskyrc .lefthook/", runsByGit},
		{"lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .overcommit.yml .simple-git-hooks.*", runsByGit},
		{"captainhook.json", runsByGit},
		{"hooks/applypatch-msg hooks/pre-applypatch hooks/post-applypatch hooks/pre-commit hooks/pre-merge-commit hooks/prepare-commit-msg " +
			"hooks/commit-msg hooks/post-commit hooks/pre-rebase hooks/post-checkout hooks/post-merge hooks/pre-push hooks/pre-receive hooks/update " +
			"hooks/post-receive hooks/post-update hooks/reference-transaction hooks/push-to-checkout hooks/pre-auto-gc hooks/post-rewrite " +
			"hooks/post-index-change hooks/fsmonitor-watchman hooks/sendemail-validate hooks/proc-receive hooks/p4-pre-submit",
			runsByGit},
		{".envrc .envrc.* .direnvrc .autoenv .autoenv.zsh .shadowenv.d/ .tool-versions mise.toml", runsInShell},
		{"mise.*.toml .mise.toml .mise.*.toml .mise/ mise/config.toml", runsInShell},
		{".bashrc .bashrc.d/ .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion", runsInShell},
		{".profile profile.ps1 .kshrc .cshrc .tcshrc .login", runsInShell},
		{".zshrc .zshenv .zprofile .zlogin .zlogout .config/fish/ .inputrc .tmux.conf .screenrc .xinitrc", runsInShell},
		{".xprofile .xsession .xsessionrc", runsInShell},
		{".vscode/ .idea/ .zed/ .fleet/ .vs/ .theia/ .idx/ .codesandbox/ .gitpod.yml .replit", runsInEditor},
		{"*.code-workspace *.sublime-project .devcontainer/ .devcontainer.json devcontainer.json", runsInEditor},
		{".vimrc _vimrc .gvimrc .lvimrc .nvimrc .exrc .nvim.lua nvim/init.lua .vim/ .emacs .emacs.d/", runsInEditor},
		{".dir-locals.el .kakrc .ycm_extra_conf.py .editorconfig.js .gdbinit .gdbearlyinit *-gdb.py", runsInEditor},
		{".lldbinit", runsInEditor},
		{".mcp.json .claude/ .claude.json .claude-plugin/ .cursor/ .windsurf/ .gemini/ .codex/ .continue/", runsInAgent},
		{".roo/ .roomodes .cline/ .kiro/ .junie/ .amazonq/ .copilot/ .github/hooks/ .qwen/ .augment/ .amp/", runsInAgent},
		{".goose/ .openhands/ .opencode/ opencode.json opencode.jsonc .crush/ .crush.json crush.json", runsInAgent},
		{".aider.*", runsInAgent},
		{"readme.md guidelines.md gemini.md *.mdc", ""},
		{"sitecustomize.py usercustomize.py .pdbrc .rprofile .irbrc .pryrc .ghci .iex.exs .psqlrc .sqliterc",
			"an interpreter loads it by itself"},
		{".yarn/releases/ .yarn/plugins/ .pnp.cjs bunfig.toml pip.conf uv.toml .bundle/config",
			"a package manager runs what it names, and trusts the registry that it names"},
		{".npmrc .yarnrc .yarnrc.yml", "a package manager runs what it names, and trusts the registry that it names"},
	}
}

// CautionList lists what only a build, an installation or a test runs. A change of it is shown with
// that, and wants no yes of its own.
func CautionList() []Entry {
	return []Entry{
		{"makefile gnumakefile makefile.* *.mk *.cmake cmakelists.txt configure configure.ac meson.build", runsInBuild},
		{"sconstruct sconscript build.bazel workspace.bazel .bazelrc build.ninja justfile .justfile", runsInBuild},
		{"taskfile.yml taskfile.yaml magefile.go tiltfile earthfile snakefile tasks.py *.pth", runsInBuild},
		{"package.json .pnpmfile.cjs gemfile rakefile composer.json mix.exs cargo.toml build.rs", runsInBuild},
		{".cargo/config .cargo/config.toml build.zig build.sbt flake.nix shell.nix default.nix", runsInBuild},
		{"pom.xml mvnw mvnw.cmd .mvn/ gradlew gradlew.bat build.gradle build.gradle.kts settings.gradle", runsInBuild},
		{"settings.gradle.kts gradle.properties gradle-wrapper.properties *.csproj directory.build.props", runsInBuild},
		{"directory.build.targets", runsInBuild},
		{"setup.py setup.cfg pyproject.toml noxfile.py tox.ini vite.config.* webpack.config.*", runsInBuild},
		{"rollup.config.* babel.config.* .babelrc .babelrc.* next.config.* nuxt.config.* svelte.config.*", runsInBuild},
		{"postcss.config.* tailwind.config.* gulpfile.* gruntfile.*", runsInBuild},
		{"conftest.py pytest.ini eslint.config.* .eslintrc .eslintrc.* jest.config.* vitest.config.*", runsInTests},
		{"playwright.config.* cypress.config.* karma.conf.* prettier.config.* .mocharc.* phpunit.xml", runsInTests},
		{".lintstagedrc .lintstagedrc.*", runsInTests},
		{"dockerfile dockerfile.* *.dockerfile containerfile docker-compose.* docker-compose-*", runsServices},
		{"compose.yaml compose.yml vagrantfile procfile", runsServices},
	}
}

// index finds the entry that a name is in.
type index struct {
	exact, folders, pairs map[string]string // the reasons, by a name, a folder's, "a/b"
	except                map[string]bool
	starred, exceptStar   []starred
}

// starred is a name with stars in it.
type starred struct {
	segment
	why string
}

func newIndex(list []Entry) *index {
	x := &index{exact: make(map[string]string), folders: make(map[string]string), pairs: make(map[string]string),
		except: make(map[string]bool)}
	for _, e := range list {
		for name := range strings.FieldsSeq(e.Names) {
			x.add(name, e.Why)
		}
	}
	return x
}

func (x *index) add(name, why string) {
	star := strings.Contains(name, "*")
	folder, isFolder := strings.CutSuffix(name, "/")
	switch {
	case why == "" && star:
		x.exceptStar = append(x.exceptStar, starred{compile(name)[0], ""})
	case why == "":
		x.except[name] = true
	case star:
		x.starred = append(x.starred, starred{compile(name)[0], why})
	case isFolder:
		x.folders[folder] = why
	case strings.Contains(name, "/"):
		x.pairs[name] = why
	default:
		x.exact[name] = why
	}
}

// why is the reason for a folded name in a folded folder; empty if there is none.
func (x *index) why(folder, name string) string {
	why := x.exact[name]
	if why == "" {
		why = x.folders[name]
	}
	if why == "" && len(x.pairs) > 0 && folder != "" {
		why = x.pairs[folder+"/"+name]
	}
	for _, s := range x.starred {
		if why == "" && s.fits(name) {
			why = s.why
		}
	}
	if why == "" {
		return ""
	}
	return x.unless(name, why)
}

// path is the reason for a path: for its last name, or for a folder that it is in.
func (x *index) path(parts []string) string {
	above := ""
	for i, part := range parts {
		name := Fold(part)
		why := cmp.Or(x.folders[name], x.folders[above+"/"+name])
		if i == len(parts)-1 {
			return x.unless(name, cmp.Or(why, x.why(above, name)))
		}
		if why != "" {
			return x.unless(Fold(parts[len(parts)-1]), why)
		}
		above = name
	}
	return ""
}

// unless is a reason, but for a name that is meant by none.
func (x *index) unless(name, why string) string {
	if x.except[name] || slices.ContainsFunc(x.exceptStar, func(s starred) bool { return s.fits(name) }) {
		return ""
	}
	return why
}

// The lists never change, and are indexed once.
var (
	deniedIndex = sync.OnceValue(func() *index { return newIndex(DenyList()) })
	riskyIndex  = sync.OnceValue(func() *index { return newIndex(RiskList()) })
	builtIndex  = sync.OnceValue(func() *index { return newIndex(CautionList()) })
)

// RiskRepository is why a step is a risk that makes one.
const RiskRepository = "makes a repository of git, whose configuration can run commands"

// Repository reports whether a directory is a repository of git's, by what git itself looks at
// (is_git_directory in its setup.c): HEAD, with objects and refs, whatever they are, or the file
// that says where they are. has reports whether something is at a name in the directory.
func Repository(has func(name string) bool) bool {
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// Risk says why a file of this path runs code by itself, without anybody calling it by name;
// empty if it doesn't.
func Risk(parts []string) string { return riskyIndex().path(parts) }

// Caution says what of a build or a test runs a file of this path; empty if nothing does.
func Caution(parts []string) string { return builtIndex().path(parts) }
