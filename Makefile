# Warpstep. `make help` lists what can be made; everything made lies in build/.
# Each folder with rules of its own has a .mk file, included below.

BUILD    ?= build
CC       ?= cc
MODE     ?= -O3 -g
include common/cuda.mk
WARNINGS := -Wall -Wextra
CFLAGS   := -std=gnu11 $(MODE) $(WARNINGS) -fno-strict-aliasing -ffp-contract=off
CPPFLAGS := -MMD -MP
LDLIBS   := -lpthread -lm -ldl

# The interpreter's loops over 32 lanes want wide vectors; x86-64's baseline has none of them.
ifeq ($(shell uname -m),x86_64)
ifneq ($(shell grep -m1 -ow avx2 /proc/cpuinfo),)
ifneq ($(shell grep -m1 -ow fma /proc/cpuinfo),)
CFLAGS   += -march=x86-64-v3
endif
endif
endif

CORES := $(shell nproc 2>/dev/null || echo 2)

# Atomics in one instruction instead of a call that finds out whether the machine has them.
ifeq ($(shell uname -m),aarch64)
ifneq ($(shell grep -m1 -ow atomics /proc/cpuinfo),)
CFLAGS   += -march=armv8.2-a
endif
endif

# As many jobs as cores, unless the caller chose; sub-makes share the first one's job slots.
ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(CORES)
endif
endif
MAKEFLAGS += --no-print-directory
# V=1 shows the commands.
Q := $(if $(V),,@)
.DELETE_ON_ERROR:

.PHONY: help
help: ## list these targets
	@echo "make TARGET, where TARGET is one of"
	@{ grep -hE '^[a-z][a-z_.-]*:.*## ' $(MAKEFILE_LIST); \
	   echo "labN: ## build/labN and what ./grade labN needs, for one of $(LAB_IDS)"; } | LC_ALL=C sort -t : -k 1,1 | \
	 awk -F ':.*## ' '{ printf "  %-22s %s\n", $$1, $$2 }'

include common/base/base.mk
include common/page/page.mk
include common/vgpu/vgpu.mk
-include common/base/tests/tests.mk
-include common/lab/lab.mk
-include common/trace/trace.mk
-include grader/judge.mk
-include grader/grader.mk
-include grader/tests/lab1/tests.mk
include handouts/handouts.mk
include common/layers.mk

.PHONY: setup
setup: ## install what tests and tools need, through the system's package manager
	@sh common/setup.sh check clang clang-tidy clang-format cppcheck patch bwrap pandoc sqlite3 sqlite
	@sh common/setup.sh libarchive || true
	@sh common/setup.sh chromium || true

.PHONY: lint
lint: ## clang-tidy and cppcheck over the C sources; prints nothing when clean
	@sh common/setup.sh clang-tidy cppcheck
	$(Q)$(MAKE) lint-tidy lint-cppcheck

C_FILES      = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
# CUDA sources are laid out by hand: clang-format takes the brackets of a launch apart.
FORMAT_FILES = $(C_FILES)
.PHONY: format
format: ## lay out all C sources as .clang-format says
	@sh common/setup.sh clang-format
	$(Q)clang-format -i $(FORMAT_FILES)

.PHONY: format-check
format-check: ## say which files `make format` would change
	@sh common/setup.sh clang-format
	$(Q)clang-format --dry-run --Werror $(FORMAT_FILES)

.PHONY: compile_commands.json
compile_commands.json: ## for clangd in editors: how each file of the labs and of the kit is compiled
	$(Q)sh common/compile_commands.sh '$(CUDA)' > $@

.PHONY: clean
clean: ## remove build/, but for your points and history in build/results
	$(Q)[ ! -d $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name results -exec rm -rf {} +
	$(Q)rmdir $(BUILD) 2>/dev/null || true
