# extdir: `make run` opens a guarded shell here, `make test` checks everything.
GO      ?= go
BIN     := bin
PREFIX  ?= $(HOME)/.local
LDFLAGS := -s -w
FUZZ    ?= 30s

# On linux/amd64 the hook starts at an entry point of its own and answers an
# allowed line before the Go runtime is up (cmd/extdir-hook); elsewhere, or without
# the flag, the same program takes the usual way.
ENTRY := $(if $(filter linux/amd64,$(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)),-E main.entry)

.PHONY: all build run test lint tools bench bench-go fuzz twin install clean
all: build

build:
	@mkdir -p $(BIN)
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/extdird
	$(GO) build -trimpath -ldflags '$(LDFLAGS) $(ENTRY)' -o $(BIN)/ ./cmd/extdir-hook

# A guarded shell in this folder, with a state directory of its own that is gone
# afterwards. AGENT=name makes it an agent's session (questions are answered from
# another terminal), SHELL_NAME=zsh chooses the shell.
run: build
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && trap 'exit 129' HUP TERM && \
	$(BIN)/extdird --dir "$$d" run $(if $(AGENT),--agent $(AGENT)) $(if $(SHELL_NAME),--shell $(SHELL_NAME)); \
	true # the status is that of the last line typed, and nothing that make should report

# Everything: formatting, linters, both platforms, all tests; with the race
# detector where a C compiler is found. Those of shells on terminals come last and
# alone: they wait for what a person would wait for.
test: tools lint
	cd daemon/command/specgen && $(GO) vet . && $(GO) test .
	@if command -v cc >/dev/null 2>&1; then \
		echo '$(GO) test -race ./...'; race=-race; cgo=1; \
	else \
		echo 'no C compiler: the race detector is off (apt-get install gcc)'; race=; cgo=0; \
	fi; \
	export CGO_ENABLED=$$cgo; \
	$(GO) test $$race $$($(GO) list ./... | grep -v '/integration$$') && \
	$(GO) test $$race ./integration

# Real shells on real terminals are tested where they are; CI must have them all.
tools:
	@missing=; for t in bash zsh tmux strace node; do command -v $$t >/dev/null 2>&1 || missing="$$missing $$t"; done; \
	if [ -n "$$missing" ]; then \
		echo "not found:$$missing: tests that need them are left out (apt-get install$$missing)"; \
		if [ "$$CI" = true ]; then exit 1; fi; \
	fi

lint:
	@out=$$($(GO) tool gofumpt -l .); if [ -n "$$out" ]; then echo "not formatted (go tool gofumpt -w .):"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	$(GO) tool staticcheck ./...

# What judging a line costs, bar by bar (docs/performance.md).
bench:
	$(GO) run ./integration/bench

# The Go benchmarks of single packages.
bench-go:
	$(GO) test -run '^$$' -bench . -benchmem ./daemon/... ./hook/...

# Every fuzz target for FUZZ each.
fuzz:
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p 2>/dev/null | grep '^Fuzz'); do \
			echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZ) $$p || exit 1; \
		done; \
	done

# COUNT new random lines, run in bash and judged.
COUNT ?= 30000
twin:
	$(GO) test ./daemon/analyze -run '^TestTwinRandom$$' -v -timeout 6h -twin.seed=-1 -twin.lines=$(COUNT)

install: build
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN)/extdird $(BIN)/extdir-hook $(DESTDIR)$(PREFIX)/bin/

clean:
	rm -rf $(BIN)
