# The door to everything. `make` builds; `make test` proves; the rest measures and tortures.

# Where `cargo run --release` builds: the demo uses the same folder, so that nothing is built twice.
RUN_TARGET := $(or $(CARGO_TARGET_DIR),target)
# Kept outside the clone, so that a fresh checkout builds fast the second time.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/gleaner/target
# Where test data lies; others laid out in the same way can be given.
CORPORA ?= ../shared/corpora
# What the tests run: optimised, with assertions on. One profile for everything, so that it is built once.
PROFILE := test-release
BIN := $(CARGO_TARGET_DIR)/$(PROFILE)
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo yes)

SCORES := tested=$$?; for file in $(CARGO_TARGET_DIR)/scores/*.txt; do [ -f "$$file" ] && { echo; cat "$$file"; }; done; \
	skipped=$$(ls $(CARGO_TARGET_DIR)/skipped 2>/dev/null | wc -l); [ $$skipped = 0 ] || { echo; echo "$$skipped tests skipped:"; sort $(CARGO_TARGET_DIR)/skipped/* | uniq -c; }; exit $$tested

# The commit as it stands; nothing where something is not committed.
CLEAN_COMMIT = test -n "$$(git status --porcelain)" || git rev-parse HEAD
COMMIT := $(shell $(CLEAN_COMMIT))

.PHONY: all build check lint test forget-passed soak bench bench-track bench-mirror bench-large bench-growth bench-together bench-search bench-library bench-graph bench-graph-crawl scores main-text-model genre-model demo deny setup clean

all: build

build:
	cargo build --release -p gleaner

setup:
	sh tools/setup.sh

# Fast: format, lints, and the tests of the rooms.
check: lint
	cargo test --profile $(PROFILE) --workspace --exclude gleaner-tests

lint:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets --profile $(PROFILE) -- -D warnings

# Everything: lints, unit and property tests, corpora, hostile servers, kills.
# The scores beside other methods are shown at the end, also when a test has failed: passing tests print nothing.
# `passed` in the target folder names the last commit that passed whole, with nothing changed beside it.
test: forget-passed setup lint
	@# Programs and tests in one go: built apart, they would want every crate in two variants.
	cargo build --profile $(PROFILE) --workspace --bins --tests
	rm -rf $(CARGO_TARGET_DIR)/scores $(CARGO_TARGET_DIR)/skipped
ifeq ($(NEXTEST),yes)
	GLEANER_BIN=$(BIN)/gleaner cargo nextest run --cargo-profile $(PROFILE) --workspace --no-fail-fast; $(SCORES)
else
	GLEANER_BIN=$(BIN)/gleaner cargo test --profile $(PROFILE) --workspace --no-fail-fast; $(SCORES)
endif
	@if [ -n "$(COMMIT)" ] && [ "$$($(CLEAN_COMMIT))" = "$(COMMIT)" ]; then echo $(COMMIT) > $(CARGO_TARGET_DIR)/passed; fi

forget-passed:
	@rm -f $(CARGO_TARGET_DIR)/passed

# Hours of torture instead of minutes: 1,000 kills, every system call, 100 power losses, the whole sets of judge.
soak: setup
	cargo build --profile $(PROFILE) --workspace --bins
	GLEANER_SOAK=1 GLEANER_BIN=$(BIN)/gleaner cargo test --profile $(PROFILE) -p gleaner-tests -p gleaner-judge -p gleaner-run -- --include-ignored --nocapture --test-threads=1 soak_

# Gleaner beside its peers on the synthetic site; prints a table of ratios.
bench:
	sh tools/setup.sh bench
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/run.py crawl bench/spec.json --pages 20000 --latency 0,50 --repeat 3 --baseline wget2
	$(MAKE) bench-track bench-mirror bench-large bench-together bench-growth

# Tracking a site of 20,000 pages that did not change, beside the crawl of it; fails above its bars.
bench-track:
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/run.py crawl bench/spec-track.json --pages 20000 --repeat 3

# Trees of files, mirrored and mirrored again, beside lftp and wget2; fails above its bars. Large files over HTTP: bench-large.
bench-mirror:
	sh tools/setup.sh bench
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/mirror.py --trees small
	python3 bench/mirror.py --trees large --servers vsftpd,sshd

# Five files of 1 GB over HTTP, beside lftp and wget2; fails above its bars.
bench-large:
	sh tools/setup.sh bench
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/mirror.py --trees large --servers nginx --repeat-large 3

# What a page costs on sites of 10,000, 100,000 and 1,000,000 pages of little text; fails above its bars. Takes 20 GB of disk.
bench-growth:
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/run.py crawl bench/spec-growth.json --pages 10000,100000,1000000 --server-args "--min-kb 2 --max-kb 6"

# Twenty projects tracked in one process, beside the same tracked one after the other; fails above its bar.
bench-together:
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/together.py

# Search by itself: known items beside SQLite FTS5, size and speed of an index of 100,000 documents, kills.
bench-search:
	$(MAKE) scores SETS=search

# Libraries on five synthetic topical webs: Gleaner's order beside breadth-first and S1's mode; fails below its bars.
bench-library:
	$(MAKE) scores SETS=library

# The room `graph` by itself on a web of 1,000,000 pages and 10,000,000 links, beside scipy and igraph; fails above its bars.
bench-graph:
	cargo build --release -p gleaner-graph --example measure_graph
	cargo build --release -p gleaner-testkit --bin linkgraph
	python3 bench/graph.py $(CARGO_TARGET_DIR)

# The graph of a crawl of 200,000 pages: its snapshot beside the crawl, every answer, the drawings; fails above its bars.
bench-graph-crawl:
	cargo build --release -p gleaner -p gleaner-testkit --bins
	python3 bench/graph_crawl.py $(CARGO_TARGET_DIR)

# Scores beside other methods, one line a set; each set is a file in bench/scores/sets. CORPORA=FOLDER takes other data laid
# out in the same way, SETS='main_text' only some of them. Fails below its bars.
OWN_CORPORA := ../shared/corpora
CORPORA ?= $(OWN_CORPORA)
SETS ?=
scores:
	cargo build --release -p gleaner-scores -p gleaner
	cargo build --release -p gleaner-testkit --bin topicweb
	cargo build --release -p gleaner-search -p gleaner-concepts -p gleaner-text -p gleaner-library --examples
	GLEANER_OWN_CORPORA=$(OWN_CORPORA) python3 bench/scores/run.py $(CORPORA) $(CARGO_TARGET_DIR)/release $(SETS)

# Makes the table by which the main text is found anew, from the pages with gold texts.
main-text-model:
	cargo build --release -p gleaner-scores
	$(CARGO_TARGET_DIR)/release/gleaner-scores train $(CORPORA) crates/parse/src/content/main_text/model.txt

# Makes the table by which documents are judged for a library anew, from documents whose genre is known.
genre-model:
	cargo build --release -p gleaner-scores -p gleaner
	$(CARGO_TARGET_DIR)/release/gleaner-scores genre-train $(CORPORA) crates/library/src/genre/model.txt

# A small web site is collected, changes and is tracked, on this machine alone.
demo:
	@# Apart, as `cargo run` builds it: together they would want every crate in another variant.
	CARGO_TARGET_DIR=$(RUN_TARGET) cargo build --release -p gleaner
	CARGO_TARGET_DIR=$(RUN_TARGET) cargo build --release -p gleaner-testkit --bin townlibrary
	sh tools/demo.sh $(RUN_TARGET)/release

# What comes in from outside: licences and banned crates (needs cargo-deny).
deny:
	cargo deny check bans licenses sources

clean:
	cargo clean
