SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run check lint unit test explore crash bench judges peers test-real-model audit clean compiler-needed tools-needed

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The job changes files, so it works on a copy.
run: compiler-needed ## Build and play an example job with a scripted model: no key, no network
	cargo build -p thru
	@mkdir -p target/first-job && cp examples/workspace/poem.txt target/first-job/ && rm -f target/first-job/words.txt
	@cargo run -q -p thru -- run --model script:examples/first-job.jsonl -C target/first-job --allow "shell(wc -w < poem.txt)" "Count the words of the poem and write them down"

check: lint unit ## Fast: format, lints, house rules, dependencies, schema, unit tests

lint: tools-needed
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features testkit/crash -- -D warnings
	cargo xtask tidy
	cargo xtask deps
	cargo xtask schema --check
	cargo xtask histories --check

unit: tools-needed
	cargo nextest run --workspace --features testkit/crash --lib --bins

# The unit tests of `check` are among all tests, so they run once.
# A run that fails still shows its slowest tests and its time.
# `make` is called by its plain name: a line with its variable would be run by `make -n` too.
test: tools-needed ## Everything CI runs: check, all tests, explore, crash
	@SECONDS=0; trap 'echo "total: $$SECONDS s"' EXIT; \
	make --no-print-directory lint; checked=$$SECONDS; \
	cargo nextest run --workspace --features testkit/crash --no-run; built=$$SECONDS; \
	rm -f target/nextest/default/junit.xml; failed=0; \
	cargo nextest run --workspace --features testkit/crash || failed=$$?; tested=$$SECONDS; \
	echo "ten slowest tests:"; cargo xtask slowest; \
	echo "check: $$checked s, build: $$((built - checked)) s, tests: $$((tested - built)) s"; \
	[ $$failed -eq 0 ] || exit $$failed; \
	make --no-print-directory explore; explored=$$SECONDS; \
	echo "explored in $$((explored - tested)) s"; \
	make --no-print-directory crash; \
	echo "crashed in $$((SECONDS - explored)) s"

explore: compiler-needed ## Search every crash and interleaving, and catch every planted bug
	cargo run -q --profile explore -p testkit --features planted --bin explore

# The binary that is killed has named places to die at, so it goes to a folder of its own and never to where people look
# for theirs. All that it is made of stays in the common folder, so nothing is built a second time.
crash: export CARGO_BUILD_BUILD_DIR := $(or $(CARGO_TARGET_DIR),target)
crash: export CARGO_TARGET_DIR := $(CARGO_BUILD_BUILD_DIR)/crash
crash: compiler-needed ## Kill the real binary everywhere and count what was lost or doubled; CRASH_RANDOM=1000 for long
	cargo build -q -p thru --features crash-points
	cargo run -q -p testkit --features crash --bin crash

# BENCH takes arguments, such as BENCH="--quick --only step,flat".
bench: compiler-needed ## Measure every row of figures beside its floor; figures are for people, not for tests
	cargo build -q --release -p thru -p bench
	@"$${CARGO_TARGET_DIR:-target}/release/bench" $(BENCH)

# Not part of `make test`: what comes from outside is fetched from its package index. It is kept beside what is built,
# because the sources of the clients are nothing that people should find among ours.
judges: compiler-needed ## Let official clients judge the scripted provider; needs Python, Node and their package indexes
	@command -v python3 >/dev/null || { echo "judges: not done, python3 is missing"; exit 1; }
	@command -v npm >/dev/null || { echo "judges: not done, node and npm are missing"; exit 1; }
	cargo build -q -p provider
	@built="$${CARGO_TARGET_DIR:-target}"; provider="$$(realpath "$$built/debug/provider")"; venv="$$built/judges"; \
	[ -x "$$venv/bin/pip" ] || python3 -m venv "$$venv"; \
	"$$venv/bin/pip" install -q --disable-pip-version-check -r crates/provider/judges/requirements.txt; \
	"$$venv/bin/python" crates/provider/judges/judge.py "$$provider"; \
	mkdir -p "$$built/judges-node"; cp crates/provider/judges/* "$$built/judges-node"; cd "$$built/judges-node"; \
	npm ci --silent --no-fund --no-audit --ignore-scripts; \
	node judge.mjs "$$provider"

# PEERS is how often each protocol is tried with faults.
peers: compiler-needed ## Do a job with a provider that others wrote, with its faults off and on; needs Node and its package index
	@command -v npm >/dev/null || { echo "peers: not done, node and npm are missing"; exit 1; }
	cargo build -q -p thru
	@built="$${CARGO_TARGET_DIR:-target}"; thru="$$(realpath "$$built/debug/thru")"; \
	mkdir -p "$$built/peers"; cp crates/thru/peers/package*.json crates/thru/peers/aimock.mjs "$$built/peers"; cd "$$built/peers"; \
	npm ci --silent --no-fund --no-audit --ignore-scripts; \
	node aimock.mjs "$$thru" $(PEERS)

# A native build may use instructions that a virtual machine refuses.
test-real-model: export CMAKE_ARGS := -DGGML_NATIVE=OFF
test-real-model: compiler-needed ## Let a real small model answer, and kill it in between; needs Python, a C++ compiler and 10 minutes once
	@command -v python3 >/dev/null || { echo "test-real-model: not done, python3 is missing"; exit 1; }
	@command -v c++ >/dev/null || { echo "test-real-model: not done, a C++ compiler is missing (Debian: g++)"; exit 1; }
	cargo build -q -p thru
	@built="$${CARGO_TARGET_DIR:-target}"; venv="$$built/real-model"; \
	[ -x "$$venv/bin/pip" ] || python3 -m venv "$$venv"; \
	"$$venv/bin/pip" install -q --disable-pip-version-check -r crates/thru/peers/requirements.txt; \
	"$$venv/bin/python" crates/thru/peers/real_model.py "$$built/debug/thru"

audit: ## Look for known vulnerabilities; needs cargo-deny and the network
	@command -v cargo-deny >/dev/null || { echo "audit: not done, cargo-deny is missing: cargo install cargo-deny --locked"; exit 1; }
	@cargo deny fetch db || { echo "audit: not done, the advisory database cannot be reached"; exit 1; }
	@cargo deny check

clean: ## Remove everything that was built
	cargo clean

# SQLite is compiled from source, which needs a C compiler; tidy lists the files through git.
compiler-needed:
	@command -v cargo >/dev/null || { echo "Rust is missing: see https://rustup.rs"; exit 1; }
	@missing=""; \
	command -v cc >/dev/null || missing="gcc libc6-dev"; \
	command -v git >/dev/null || missing="$$missing git"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q; DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing; \
	else \
		echo "missing, please install (Debian names): $$missing"; exit 1; \
	fi

# Tests of the sandbox try every way to make one, and make their attempts with Python.
tools-needed: compiler-needed
	@missing=""; \
	command -v bwrap >/dev/null || missing="bubblewrap"; \
	command -v python3 >/dev/null || missing="$$missing python3"; \
	command -v setpriv >/dev/null || missing="$$missing util-linux"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q; DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing; \
	else \
		echo "missing, please install (Debian names): $$missing"; exit 1; \
	fi
	@cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
	@cargo nextest --version >/dev/null 2>&1 || cargo install cargo-nextest --locked
