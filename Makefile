# markgen: see README.md. Everything works from a checkout, with Go and nothing
# else; what a target needs beyond that it installs or says so.

GO ?= go
export GOFLAGS := -buildvcs=false

# The packages of all modules (go.work) but bench. Those with the longest tests come first.
ALL := ./cmd/... ./overlay/... ./service/... ./tests/... ./... ./runtime/...

# What of the runtime is for overlay builds alone is compiled and tested with the rest (runtime/source.go).
TAGS := -tags=markgen_virtual

.PHONY: help demo test tests need others other-go bin/gotest bin/staticcheck bin/misspell tidy man screenshots completions lint quick static cross soak bench build clean \
	corpus corpus-traps corpus-command corpus-service corpus-packages corpus-modules

help:
	@echo 'go test ./...   unit tests and quick scripts, in three minutes'
	@echo 'make test       those, lint, and one test of each kind with browsers, servers and other toolchains: before each change'
	@echo 'make corpus     everything, hours; or one part: make corpus-traps, -command, -service, -packages, -modules'
	@echo 'make lint       gofmt, vet, staticcheck and misspell'
	@echo 'make tidy       go mod tidy in the root, service, tests and bench'
	@echo 'make bench      what things cost, as ratios: docs/explanation/performance.md'
	@echo 'make soak       thousands of processes killed at any moment'
	@echo 'make demo       marks and runs the demo application'
	@echo 'make build      bin/markgen and bin/markgend'
	@echo 'make screenshots the pictures in docs/images, with Chromium'
	@echo 'make man        manual pages, in bin/man; make completions: for shells, in bin/completions'

# Mark, build and run the demo application, and print its report.
demo: build
	cd testdata/demo && $(CURDIR)/bin/markgen run -all .

build:
	@mkdir -p bin
	$(GO) build -o bin/ ./cmd/markgen ./service/cmd/markgend

# The other release of Go that is supported, which go fetches as a module, and what is tested with it here: what reads and writes
# source and the runtime, compiled with it, and programs that are built with it. GOTOOLCHAIN=$(OTHER_GO) make corpus tests everything.
OTHER_GO := go1.27.4
OTHER_TESTS := ^TestTraps$$/^(appends|exits|line_directives|recover)$$|^TestDeepAlloc$$|^TestForms$$/^(.00|-form_guarded_|-form_open_|-form_twin_)$$|^TestLinkerGoroot$$

# What takes long there, and depends little on the release.
OTHER_SKIPS := ^TestInPlaceOf(StandardLibrary|Oddities|fIsGone)$$|^Test(OverlayOf|Formatted|Bare)StandardLibrary$$|^Test(KilledAnywhere|Survives|RaceIsSeen)$$|^Test/^race

# With -trimpath packages are the same in every checkout, so that a new one has them, and what vet and staticcheck found in them,
# from the cache. (What make build makes is to know its checkout, for markgen init.) With -ldflags=-w linking takes two thirds of the time.
test tests lint quick static others other-go cross: export GOFLAGS := -buildvcs=false -trimpath -ldflags=-w

# Tests of the first two tiers (package tier) and lint. At the end it says how many tests were skipped, and why,
# and what took long. Programs that are missing are fetched while the source is vetted.
test: export MARKGEN_TESTS := test
test:
	@rm -rf bin/tests
	@$(MAKE) --no-print-directory -j2 quick need && $(MAKE) --no-print-directory tests; code=$$?; bin/gotest -slowest 10 -sum bin/tests/*; exit $$code

tests: bin/gotest
	$(MAKE) -j2 others cross static other-go

# go test, with such an end.
bin/gotest:
	@mkdir -p bin/tests
	@$(GO) build -o bin/gotest ./scripts/gotest

# The programs that tests start.
need:
	sh scripts/need.sh chromium:chromium prometheus:prometheus promtool:prometheus git:git curl:curl postgres:postgresql

# Tests of the first two tiers (package tier). Some wait for more than they
# compute, so there are more at a time than processors. What is tested has been vetted. Results are not taken from go's cache,
# which does not know of the commands that tests build.
others: bin/gotest need
	MAKEFLAGS= bin/gotest -o bin/tests/others $(GO) test $(TAGS) -json -vet=off -count=1 -p $$(($$(nproc) + 1)) -timeout 40m $(ALL)

other-go: bin/gotest
	MAKEFLAGS= GOTOOLCHAIN=$(OTHER_GO) bin/gotest -o bin/tests/$(OTHER_GO) $(GO) test $(TAGS) -json -vet=off -count=1 -timeout 20m -skip '$(OTHER_SKIPS)' ./rewrite/... ./overlay/deep ./runtime/...
	MAKEFLAGS= bin/gotest -o bin/tests/$(OTHER_GO)-builds $(GO) test -json -vet=off -count=1 -timeout 20m -exec 'env GOTOOLCHAIN=$(OTHER_GO)' -run '$(OTHER_TESTS)' ./overlay

lint: quick static

quick: bin/gotest
	@bad=$$(git ls-files -z '*.go' | grep -zvE '(^|/)testdata/' | xargs -0 gofmt -l); \
	if [ -n "$$bad" ]; then echo "not gofmt-clean:"; echo "$$bad"; exit 1; fi
	bin/gotest -o bin/tests/vet $(GO) vet $(TAGS) $(ALL)
	$(GO) vet ./runtime/...
	$(GO) vet -tags markgen_off ./runtime/...

static: bin/gotest bin/staticcheck bin/misspell
	git ls-files -z '*.go' '*.md' '*.html' '*.yaml' | grep -zvE '(^|/)testdata/|/assets/chartjs/' | xargs -0 bin/misspell -error
	bin/gotest -o bin/tests/staticcheck bin/staticcheck $(TAGS) $(ALL)

# Of the module tools: what markgen requires has nothing to do with it.
bin/staticcheck:
	GOWORK=off $(GO) build -C tools -o ../bin/staticcheck honnef.co/go/tools/cmd/staticcheck

bin/misspell:
	GOWORK=off $(GO) build -C tools -o ../bin/misspell github.com/golangci/misspell/cmd/misspell

# Manual pages, of what markgen help prints.
man: build
	for program in markgen markgend; do \
		GOWORK=off $(GO) run -C tools ./man -date "$(DATE)" -version "$(VERSION)" "$(CURDIR)/bin/$$program" "$(CURDIR)/bin/man" || exit 1; \
	done

screenshots: build
	mkdir -p docs/images
	sh scripts/screenshots.sh

completions: build
	@mkdir -p bin/completions
	bin/markgen completion bash >bin/completions/markgen.bash
	bin/markgen completion zsh >bin/completions/_markgen
	bin/markgen completion fish >bin/completions/markgen.fish

# go mod tidy, which knows no workspace.
tidy:
	sh scripts/tidy.sh

# Everything for other platforms, its types checked, and the runtime's tests on linux/arm64.
cross: bin/gotest
	$(GO) build -o bin/typecheck ./scripts/typecheck
	for platform in darwin/arm64 linux/386 windows/amd64; do \
		echo $$platform; export GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
		bin/typecheck $(ALL) || exit 1; \
	done
	GOOS=linux GOARCH=arm64 $(GO) vet $(TAGS) ./runtime/...
	sh scripts/arm64.sh

# Thousands of processes killed at any moment, and what they left compared with
# what they had logged.
soak:
	MARKGEN_SOAK_FLEET=1h $(GO) test -timeout 3h -count=1 -v ./service/fleettest
	MARKGEN_SOAK=5000 $(GO) test $(TAGS) -timeout 1h -run TestKilledAnywhere -count=1 -v ./runtime/...

# Ratios of two things measured in the same run; see docs/explanation/performance.md.
bench: build
	cd bench && $(GO) run . -markgen $(CURDIR)/bin/markgen -page ../docs/explanation/performance.md

# Everything, in parts: all cases of the tests of some packages, and real programs, plain and marked.
corpus: corpus-traps corpus-command corpus-service corpus-packages corpus-modules

corpus-traps corpus-command corpus-service corpus-packages corpus-modules: export MARKGEN_TESTS := corpus
corpus-traps corpus-command corpus-service corpus-packages corpus-modules: bin/gotest

GOTEST_ALL = bin/gotest -slowest 10 $(GO) test $(TAGS) -json -p 1 -timeout 5h -count=1

# Programs with all that has gone wrong before, in every form, kind of build and platform that can be run here.
corpus-traps:
	$(GO) test -exec "$$PWD/scripts/no386.sh" -count=1 -v -run 32Bits ./overlay
	$(GOTEST_ALL) ./overlay/...

# The command's scripts, and the documentation's.
corpus-command:
	$(GOTEST_ALL) ./cmd/... ./docs

# The central service.
corpus-service:
	$(GOTEST_ALL) ./fleet/... ./service/...

# All other packages, and the runtime vetted for other platforms, and tested on linux/arm64.
corpus-packages:
	for platform in darwin/arm64 linux/386 windows/amd64 freebsd/amd64; do \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) vet ./runtime/... || exit 1; \
	done
	sh scripts/arm64.sh
	$(GOTEST_ALL) $$($(GO) list $(ALL) | grep -vE '/(overlay|cmd|docs|fleet|service|corpus)(/|$$)')

# The tests of real programs, plain and marked, and their block counts; and programs made at random.
corpus-modules:
	$(GOTEST_ALL) ./corpus/...

clean:
	rm -rf bin
