# SPDX-License-Identifier: MIT
# A thin front over Meson. The program is built in build/, the checks use build-*/ beside it.
BUILD = build
PREFIX = /usr/local
DESTDIR =
# Options of bench/bench.py: make bench BENCH=--quick
BENCH =
# Options of tools/truth_table.py: make truth-table TRUTH='--only nocldwait'
TRUTH =
# Options of tools/v2_host.py: make v2-host V2_HOST='tests/truth/test_io.py -k direct'
V2_HOST =
# Tests to run by make test, as one looks while one builds: make test TESTS='tests/cli/test_run.py tests/unit/test_window.c'
TESTS = unit quick
# How long each harness runs by make fuzz, and which: make fuzz FUZZ='600 show export'
FUZZ = 60
# Debian's own interpreter: the packages of tools/packages.txt belong to it.
PYTHON = /usr/bin/python3

.PHONY: all build deps deps-build deps-bench deps-truth deps-v2-host demo check test fuzz v2-host lint bench truth-table gallery golden format install dist clean

all: build

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@command -v meson >/dev/null && command -v ninja >/dev/null || \
		{ echo "meson and ninja are needed: make deps installs them (Debian, Ubuntu)" >&2; exit 1; }
	meson setup $(BUILD)

deps:
	tools/deps.sh build check

deps-build:
	tools/deps.sh build

deps-bench:
	tools/deps.sh build bench

deps-truth:
	tools/deps.sh build truth

deps-v2-host:
	tools/deps.sh build check v2-host

demo: deps-build
	$(MAKE) build
	tools/demo.sh $(BUILD)/assay

check: deps
	$(PYTHON) tools/check.py

test:
	$(PYTHON) tools/check.py $(TESTS)

fuzz:
	fuzz/run.sh $(FUZZ)

# The truth tests in an emulated machine with another kernel and version 2 of cgroups alone: some minutes.
v2-host: build
	$(PYTHON) tools/v2_host.py --build $(BUILD) $(V2_HOST)

lint:
	$(PYTHON) tools/check.py lint

bench: deps-bench
	$(MAKE) build
	$(PYTHON) bench/bench.py $(BENCH) $(BUILD)/assay

# What assay and other tools say of jobs whose use is known: writes docs/truth.md, in some ten minutes.
truth-table: deps-truth
	$(MAKE) build
	$(PYTHON) tools/truth_table.py $(TRUTH) $(BUILD)/assay

# Records some jobs and draws them: a minute or two, on a machine that does nothing else.
gallery: deps
	$(MAKE) build
	$(PYTHON) tools/gallery.py $(BUILD)/assay

golden: build
	$(BUILD)/assay measurements --json | $(PYTHON) tools/measures_table.py --tsv - >tests/golden/measures.tsv.new
	mv tests/golden/measures.tsv.new tests/golden/measures.tsv

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

install: build
	meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	DESTDIR=$(abspath $(DESTDIR)) meson install -C $(BUILD)

dist: build
	meson dist -C $(BUILD) --no-tests

clean:
	rm -rf $(BUILD) build-*
