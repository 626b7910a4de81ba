# Thin front of scripts/: each target is one command, which says what it does.
.DEFAULT_GOAL := help
.PHONY: help setup build demo dependencies-archive source-archive portable-archive debian-packages test test-full fuzz soak bench format check tidy clean

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name what; do \
	  printf 'make %-20s %s\n' "$$name" "$$what"; done

setup: ## Install the Debian packages that building and testing need (scripts/packages lists them)
	@scripts/setup demo build bench test

demo: ## Build only what the demo shows, balance a generated data set and a running program
	@scripts/setup demo
	@scripts/demo

build: ## Build what users install, optimised, in build/release
	@scripts/setup demo build
	@scripts/build release

dependencies-archive: ## Pack the sources of the needed libraries, to build Plimsoll where they cannot be installed
	@scripts/dependencies-archive

source-archive: ## Pack the committed sources together with those of the needed libraries
	@scripts/source-archive

portable-archive: ## Pack a statically linked command, which runs on every Linux of this architecture
	@scripts/setup demo
	@scripts/portable-archive

debian-packages: ## Make Debian packages of the command, the profilers, the libraries and the documentation
	@scripts/setup demo build
	@scripts/debian-packages

test: setup ## Build with warnings as errors and internal checks, and run all tests except long ones
	@scripts/setup viewer
	@scripts/run-tests ci

test-full: fuzz ## Run all tests, then again under the address, undefined-behaviour and thread sanitisers, after fuzzing and compiling each file alone
	@scripts/setup viewer
	@scripts/check-each-file
	@scripts/run-tests --long ci asan tsan

fuzz: setup ## Feed broken files to the readers for two minutes each
	@scripts/setup fuzz
	@scripts/fuzz 120

soak: setup ## Run the random test of objects for 10,000 phases with each MPI, also with the preset asan if built
	@scripts/soak 10000 ci $$([ -d build/asan ] && echo asan)

bench: setup ## Run the benchmarks; results in build/bench/results/results.md
	@scripts/bench

format: ## Format the C++ files in place with clang-format
	@scripts/setup check
	@git ls-files '*.cpp' '*.hpp' | xargs --no-run-if-empty clang-format -i

check: ## Check format, include graph, links, words; then comments, and changed files with clang-tidy
	@scripts/setup check
	@scripts/check

tidy: setup ## Check all C++ files with clang-tidy
	@scripts/setup tools
	@scripts/tidy

clean: ## Remove everything built
	rm -rf build
