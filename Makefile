# Pai. `make` lists the targets.
PREFIX ?= /usr/local
BIN = bin/
COMMANDS = pai pai-classify pai-plan pai-exec pai-suggest pai-model
FUZZTIME ?= 30s
# Pinned with all that they need, sums included, each in a module file of its own.
GOLANGCI = go tool -modfile=.ci/golangci-lint.mod golangci-lint

export CGO_ENABLED ?= 0
# Where git can't be asked, the version stays unknown.
VCS = $(shell git rev-parse -q HEAD >/dev/null 2>&1 && echo auto || echo false)
FLAGS = -trimpath -tags urfave_cli_no_docs -ldflags '-s -w'
BUILD = go build -buildvcs=$(VCS) $(FLAGS)
SHARE = $(DESTDIR)$(PREFIX)/share
BASH = $(SHARE)/bash-completion/completions
ZSH = $(SHARE)/zsh/site-functions
FISH = $(SHARE)/fish/vendor_completions.d

.PHONY: help build install install-files uninstall share release demo test race cover bench bench-context soak fuzz lint clean

help:
	@echo 'build    all commands, into bin'
	@echo 'install  them, manual pages and completions beneath $$PREFIX (PREFIX=$(PREFIX))'
	@echo 'uninstall what install installed'
	@echo 'share    write manual pages and completions anew, from --help'
	@echo 'release  archives, packages, a bill of materials and checksums, into dist'
	@echo 'demo     build, and run the main job on a scripted model: no key needed'
	@echo 'test     everything that must hold'
	@echo 'race     the same under the race detector (needs a C compiler)'
	@echo 'cover    how much of the code the tests run'
	@echo 'bench    ratios against reference programs'
	@echo 'bench-context TASKS=tasks.jsonl MIRROR=dir    which files are found for real changes'
	@echo 'soak     slow and huge checks'
	@echo 'fuzz     every fuzz target for FUZZTIME=$(FUZZTIME)'
	@echo 'lint     format, vet, staticcheck'
	@echo 'clean    remove bin and dist'

build:
	$(BUILD) -o $(BIN) $(COMMANDS:%=./cmd/%)

install: build install-files

install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/man/man5 $(SHARE)/man/man7 $(BASH) $(ZSH) $(FISH)
	install $(COMMANDS:%=$(BIN)%) $(DESTDIR)$(PREFIX)/bin
	for s in 1 5 7; do install -m 644 cmd/pai/share/*.$$s $(SHARE)/man/man$$s || exit 1; done
	install -m 644 cmd/pai/share/_pai $(ZSH)
	for c in $(COMMANDS); do install -m 644 cmd/pai/share/pai.bash $(BASH)/$$c && \
		install -m 644 cmd/pai/share/pai.fish $(FISH)/$$c.fish || exit 1; done

uninstall:
	rm -f $(COMMANDS:%=$(DESTDIR)$(PREFIX)/bin/%) \
		$(foreach s,1 5 7,$(patsubst cmd/pai/share/%,$(SHARE)/man/man$(s)/%,$(wildcard cmd/pai/share/*.$(s)))) \
		$(COMMANDS:%=$(BASH)/%) $(COMMANDS:%=$(FISH)/%.fish) $(ZSH)/_pai

share: build
	go run $(FLAGS) ./scripts/manual $(BIN) cmd/pai/share

release:
	sh scripts/release.sh dist

demo:
	@$(BUILD) -o bin/ $(COMMANDS:%=./cmd/%)
	@go run $(FLAGS) ./scripts/demo bin

# The commands are built once, in $$bin, for the tests of all packages; the test
# cache doesn't see them.
WITH_COMMANDS = @bin=$$(mktemp -d) && trap 'rm -rf "$$bin"' EXIT && export PAI_TEST_BIN="$$bin" && go build -o "$$bin/"

# Most of what the tests of a package do is to wait: for terminals, servers, children.
test:
	$(WITH_COMMANDS) ./cmd/... && go test -count=1 -parallel 8 ./...

race: export CGO_ENABLED = 1
race: export GORACE = atexit_sleep_ms=0
race:
	$(WITH_COMMANDS) -race ./cmd/... && go test -count=1 -race -parallel 4 ./...

# What the scripts run counts too: the commands write what they covered into a
# directory of their own, in a second run, since go test has its own directory for
# the first.
cover:
	$(WITH_COMMANDS) -cover ./cmd/... && mkdir "$$bin/unit" "$$bin/script" && \
	go test -count=1 -cover -coverpkg=./cmd/...,./pkg/... ./... -args -test.gocoverdir="$$bin/unit" >"$$bin/log" && \
	GOCOVERDIR="$$bin/script" go test -count=1 ./cmd/... ./scripts/... >>"$$bin/log" || { cat "$$bin/log"; exit 1; } && \
	go tool covdata percent -i="$$bin/unit,$$bin/script" && \
	go tool covdata textfmt -i="$$bin/unit,$$bin/script" -o "$$bin/profile" && go tool cover -func="$$bin/profile" | tail -n 1

bench-context:
	go test -tags tasks ./cmd/pai-exec/internal/find -run '^TestTasks$$' -v -count 1 -timeout 2h -args -tasks '$(abspath $(TASKS))' -mirror '$(abspath $(MIRROR))'

bench: build
	go run $(FLAGS) ./scripts/bench bin

soak:
	go test -tags soak -run Soak -timeout 60m -v ./...

fuzz:
	sh scripts/fuzz.sh $(FUZZTIME)

lint:
	@test -z "$$(gofmt -l cmd pkg scripts)" || { echo 'not formatted:'; gofmt -l cmd pkg scripts; exit 1; }
	$(GOLANGCI) run

clean:
	rm -rf bin dist
