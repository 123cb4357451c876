# Everything a contributor runs. `make` lists the targets.

.DEFAULT_GOAL := help
SHELL := bash
CARGO ?= cargo

# Built with the profile of what is measured.
MEASURED := $(CARGO) build --profile measured --quiet -p steadfast-bench
BENCH := target/measured/steadfast-bench

# A log has no use for a bar that moves.
ifdef CI
export CARGO_TERM_PROGRESS_WHEN := never
endif

.PHONY: help prepare services services-stop test lint fmt bench bench-peers bench-report trials fuzz coverage deny

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

prepare: ## install what the tests need beyond rust (nothing if it is there)
	@scripts/prepare

services: ## start the databases that tests need and say where they are
	@scripts/services start

services-stop: ## stop them
	@scripts/services stop

test: prepare ## run all tests, documentation examples included; starts and stops the databases they need
	scripts/services run $(CARGO) test --workspace --all-features --quiet

lint: ## check format, lints and documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --all-features --no-deps --quiet

fmt: ## format everything
	$(CARGO) fmt --all

bench: prepare ## measure beside the floors: make bench ONLY=drain STORE=postgres ROUNDS=5
	$(MEASURED)
	scripts/services run $(BENCH) run \
		$(if $(ONLY),--only $(ONLY)) $(if $(STORE),--store $(STORE)) $(if $(ROUNDS),--rounds $(ROUNDS))

bench-peers: prepare ## measure beside other engines: make bench-peers ROUNDS=1 PEERS=pg-boss,river ONLY=drain
	$(MEASURED)
	scripts/services run $(BENCH) peers \
		$(if $(PEERS),--peers $(PEERS)) $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS))
	$(if $(PEERS)$(ONLY),,$(BENCH) report)

bench-report: ## write docs/benchmarks.md from what was measured
	$(MEASURED)
	$(BENCH) report

trials: prepare ## show the guarantees at full length and write docs/trials.md (most of an hour): make trials SEEDS=100
	SEEDS=$(SEEDS) scripts/trials

fuzz: ## show damaged inputs to each parser for so long: make fuzz SECONDS=60
	STEADFAST_FUZZ_SECONDS=$(or $(SECONDS),60) scripts/services run $(CARGO) test --release --quiet \
		-p steadfast-testkit -p steadfast-postgres -p steadfast-mysql -- damaged --nocapture

coverage: ## write into docs/coverage.md how much of core and engine the tests pass through (needs llvm-tools)
	scripts/coverage

deny: ## check licences, bans and sources (needs cargo-deny)
	$(CARGO) deny check licenses bans sources
