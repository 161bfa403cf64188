# The virtual GPU's tests: one suite per folder, one line of result each. `make test-NAME` runs one alone; where a suite has
# named cases, `make test-NAME ONLY='CASE CASE'` runs some of them.

VGPU_TESTS := $(VGPU)/tests
RESULTS    := $(BUILD)/test
SUITE      := sh $(VGPU_TESTS)/suite.sh $(RESULTS)
SUITES     := unit conformance lectures counters lines rules diagnostics silent programs full-check determinism bad-input model
# Those whose cases come one after another begin first; those with many cases that run side by side fill what is left.
LONGEST    := grade batch attacks mistakes honest labs bad
# What takes long: every step's kernel in every slot, times beside an H200's, the handouts' pages and tables for each GPU,
# submissions that make the judge execute everything, other compilers, large libraries, fuzzing.
LONG       := behaviour clock libraries compilers pi repaired
# What a change usually breaks; others of these suites stand in the folders they test.
QUICK      := unit conformance counters lines some-diagnostics some-programs bad-input

# Names that ONLY gives, or all.
only = $(if $(ONLY),$(foreach one,$1,$(if $(filter $(ONLY),$(notdir $(one))),$(one))),$1)

.PHONY: test test-long check
test: ## the tests, in a quarter of an hour; no GPU needed; installs what is missing where it may
	@+$(call run_suites,$(LONGEST) $(filter-out $(LONGEST),$(SUITES)))
test-long: ## the rest of the tests, which takes longer: accuracy, all steps in all slots, pages, slow attacks, fuzzing
	@sh common/setup.sh pandoc || true
	@sh common/setup.sh chromium || true
	@+$(call run_suites,$(LONG))
check: ## what a change usually breaks, in two minutes: units, instructions, counters, findings, one lab graded
	@+$(call run_suites,$(QUICK))

# Suites run side by side, as many as make has jobs, once there is a kit; their own programs are built meanwhile.
PROGRESS := sh $(VGPU_TESTS)/progress.sh $(RESULTS)
define run_suites
sh common/setup.sh check patch && { sh common/setup.sh bwrap || true; sh common/setup.sh libarchive || true; } && \
mkdir -p $(RESULTS) && rm -f $(RESULTS)/*.result $(RESULTS)/*.log && \
echo "$(words $1) suites, when the kit is built" && $(PROGRESS) $(MAKE) vgpu $(BUILD)/kit-ready && \
{ KEEP_GOING=1 $(PROGRESS) $(MAKE) -k $(patsubst %,test-%,$1) || true; } && \
sh $(VGPU_TESTS)/total.sh $(RESULTS) $1
endef

# The exercise at its full length.
.PHONY: test-pi
test-pi: $(RESULTS)/lectures/pi
	@$(SUITE) pi sh -c '$< 100000 | tail -n 1 | grep -qx ok && echo "1 passed, 0 failed"'

.PHONY: test-gpu-programs
test-gpu-programs: ## the virtual GPU's test programs on the GPU of this machine; records into build/gpu
	@sh $(VGPU_TESTS)/record_gpu.sh $(BUILD)/gpu

# ---- Check programs: tests/test_*.c ----

UNIT_TESTS := $(patsubst $(VGPU_TESTS)/%.c,$(RESULTS)/unit/%,$(wildcard $(VGPU_TESTS)/test_*.c))
CHECK_LIBS := $(or $(shell pkg-config --libs check 2>/dev/null),-lcheck -lsubunit -lrt)

$(RESULTS)/unit/%: $(VGPU_TESTS)/%.c $(VGPU_TESTS)/conformance/suite.c $(BUILD)/libvgpu-inside.a
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -MF $@.d $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# test_sass reads these two: machine code, and what ptxas says of it.
$(RESULTS)/spills/spills.log: $(VGPU_TESTS)/spills/spills.cu
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(CUDA)/bin/nvcc -arch=sm_90 -cubin -Xptxas -v $< -o $(@D)/spills.cubin 2> $@ || { cat $@; rm $@; exit 1; }
$(RESULTS)/unit/test_sass: | $(RESULTS)/spills/spills.log

.PHONY: test-unit
test-unit: $(call only,$(UNIT_TESTS))
	@$(SUITE) unit sh $(VGPU_TESTS)/run_unit.sh $^

# ---- CUDA programs: a file, or a folder of files; "// options:" in a file names what nvcc needs ----

cuda_programs = $(patsubst $(VGPU_TESTS)/%.cu,$(RESULTS)/%,$(wildcard $(VGPU_TESTS)/$1/*.cu))
cuda_folders  = $(patsubst $(VGPU_TESTS)/$1/%/,%,$(sort $(dir $(wildcard $(VGPU_TESTS)/$1/*/*.cu))))
# No optimisation of the host's part, which need not be fast; device code is optimised in any case. The name is that of
# libstdc++'s header of special functions, which is left out by it: every program would read it, and none needs it.
NVCC_FLAGS   := -D_GLIBCXX_BITS_SPECFUN_H
nvcc_options  = $(NVCC_FLAGS) $(shell sed -n 's,^// options: ,,p' $1)
.SECONDARY:

$(RESULTS)/%.o: $(VGPU_TESTS)/%.cu $(VGPU_TESTS)/kit.cuh | $(VGPUCC)
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) $(call nvcc_options,$<) -c $< -o $@

$(RESULTS)/%.o: $(VGPU_TESTS)/%.cpp | $(VGPUCC)
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) $(NVCC_FLAGS) -c $< -o $@

$(RESULTS)/%: $(RESULTS)/%.o $(BUILD)/libvgpu.a
	$(Q)$(VGPUCC) $(NVCC_LINK) $< -o $@

define folder_program
$(RESULTS)/$1/$2/$2: $(patsubst $(VGPU_TESTS)/%,$(RESULTS)/%.o,$(basename $(wildcard $(VGPU_TESTS)/$1/$2/*.cu \
                     $(VGPU_TESTS)/$1/$2/*.cpp))) $(BUILD)/libvgpu.a
	$$(Q)$$(VGPUCC) $$(NVCC_LINK) $$(filter %.o,$$^) -o $$@
endef
$(foreach folder,$(call cuda_folders,programs),$(eval $(call folder_program,programs,$(folder))))

PROGRAMS := $(call cuda_programs,programs) $(foreach f,$(call cuda_folders,programs),$(RESULTS)/programs/$f/$f)
LECTURES := $(call cuda_programs,lectures)

.PHONY: test-lectures test-programs test-some-programs
test-lectures: $(call only,$(LECTURES))
	@$(SUITE) lectures sh $(VGPU_TESTS)/run_programs.sh $(VGPU_TESTS)/lectures $^
test-programs: $(call only,$(PROGRAMS))
	@$(SUITE) programs sh $(VGPU_TESTS)/run_programs.sh $(VGPU_TESTS)/programs $^
# One of each kind: arithmetic, textures, the runtime's errors, streams and graphs, warps, blocks that wait, several files.
test-some-programs: $(addprefix $(RESULTS)/programs/,atomics graphs math_functions runtime_errors scan texture_sampling \
                    waiting_blocks several_files/several_files)
	@$(SUITE) some-programs sh $(VGPU_TESTS)/run_programs.sh $(VGPU_TESTS)/programs $^

# The same programs under full checking: not one alarm, but for the two that make errors on purpose. Leaks do not count:
# test programs leave their memory to the end of the process.
.PHONY: test-full-check
test-full-check: $(call only,$(filter-out %/first_kernel %_errors,$(LECTURES) $(PROGRAMS)))
	@VGPU_CHECK=full SILENT=1 $(SUITE) full-check sh $(VGPU_TESTS)/run_programs.sh none $^

$(RESULTS)/counters/counters.o: NVCC_FLAGS := $(RECORDED)
.PHONY: test-counters
test-counters: $(RESULTS)/counters/counters
	@$(SUITE) counters sh $(VGPU_TESTS)/counters/run.sh $<

# The same program: what each of its lines did.
.PHONY: test-lines
test-lines: $(RESULTS)/counters/counters
	@$(SUITE) lines sh $(VGPU_TESTS)/lines/run.sh $<

# Advice: for each rule a kernel that it holds for, and one that it does not.
$(RESULTS)/rules/rules.o: NVCC_FLAGS := $(RECORDED) -lineinfo
.PHONY: test-rules
test-rules: $(RESULTS)/rules/rules
	@$(SUITE) rules $< $(ONLY)

# ---- small behaviours of a GPU: ratios of modelled times against those of an H200 ----

MICRO         := $(VGPU)/bench/micro
MICRO_OBJECTS := $(patsubst $(MICRO)/%.cu,$(RESULTS)/micro/%.o,$(wildcard $(MICRO)/*.cu))
BEHAVIOUR     := sh $(VGPU_TESTS)/behaviour/run.sh $(RESULTS)/micro/micro $(VGPU)/bench/h200/micro.csv

$(MICRO_OBJECTS): $(RESULTS)/micro/%.o: $(MICRO)/%.cu $(wildcard $(MICRO)/*.cuh $(MICRO)/*.def) | $(VGPUCC)
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) $(NVCC_FLAGS) -c $< -o $@

$(RESULTS)/micro/micro: $(MICRO_OBJECTS) $(BUILD)/libvgpu.a
	$(Q)$(VGPUCC) $(NVCC_LINK) $(filter %.o,$^) -o $@

.PHONY: test-behaviour behaviour
test-behaviour: $(RESULTS)/micro/micro
	@$(SUITE) behaviour $(BEHAVIOUR)
behaviour: $(RESULTS)/micro/micro ## chains, occupancy, banks, divergence, atomics ...: an H200's ratios beside the model's
	@$(BEHAVIOUR)

# Programs that depend on order where anything could.
ORDERED := $(RESULTS)/determinism/order $(addprefix $(RESULTS)/programs/,atomics waiting_blocks cooperative \
             dynamic_parallelism graphs sorting) \
           $(addprefix $(RESULTS)/lectures/,reduction matmul)
.PHONY: test-determinism
test-determinism: $(call only,$(ORDERED))
	@$(SUITE) determinism sh $(VGPU_TESTS)/determinism/run.sh $^

# Copies, streams, launches and events: the ratios that a lab on transfers lives on, and what calls cost, against an H200.
CLOCK := $(addprefix $(RESULTS)/clock/,transfers calls)
$(CLOCK): $(RESULTS)/clock/%: $(VGPU)/bench/%.cu $(BUILD)/libvgpu.a | $(VGPUCC)
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) $(NVCC_FLAGS) $< -o $@
.PHONY: test-clock
test-clock: $(CLOCK)
	@$(SUITE) clock sh $(VGPU_TESTS)/clock/run.sh $^ $(VGPU)

# Properties of the timing model; needs neither nvcc nor Check.
MODEL := $(VGPU_TESTS)/model
$(RESULTS)/model/model: $(MODEL)/model.c $(BUILD)/libvgpu.a
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -MF $@.d $(filter %.c %.a,$^) $(LDLIBS) -o $@
.PHONY: test-model
test-model: $(RESULTS)/model/model
	@$(SUITE) model sh $(MODEL)/run.sh $< $(VGPU)/gpus

# The same by another compiler, where there is one, and without optimisation in any case.
OTHER_CC    := $(firstword $(if $(findstring clang,$(CC)),$(shell command -v gcc),$(shell command -v clang)) $(CC))
OTHER_BUILD := $(RESULTS)/other
.PHONY: test-compilers
test-compilers: $(RESULTS)/model/model
	@$(MAKE) BUILD=$(OTHER_BUILD) CC=$(OTHER_CC) MODE=-O0 $(OTHER_BUILD)/test/model/model
	@$(SUITE) compilers sh $(MODEL)/times.sh $< $(OTHER_BUILD)/test/model/model $(RESULTS)/model

# What fuzzing once found, without the fuzzer.
$(RESULTS)/bad_input/device: $(VGPU_TESTS)/replay_inputs.c $(VGPU_TESTS)/fuzz_device.c $(BUILD)/libvgpu-inside.a
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -MF $@.d $(filter %.c %.a,$^) $(LDLIBS) -o $@

BAD_INPUT := $(addprefix $(RESULTS)/bad_input/,victim device)
.PHONY: test-bad-input
test-bad-input: $(BAD_INPUT)
	@$(SUITE) bad-input sh $(VGPU_TESTS)/bad_input/run.sh $(RESULTS)/bad_input/damaged $(BAD_INPUT)

# ---- tapes: one block step by step, against the machine itself; the scripts of pages against both, in a browser ----

TAPE := $(VGPU_TESTS)/tape
$(RESULTS)/tape/probe.o: $(TAPE)/probe.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -c $< -o $@
$(RESULTS)/tape/kernels.o: NVCC_FLAGS := -gencode arch=compute_80,code=compute_80
# With all names of the library, not only those that programs see.
$(RESULTS)/tape/probe: $(RESULTS)/tape/probe.o $(RESULTS)/tape/kernels.o $(BUILD)/libvgpu-inside.a | $(VGPUCC)
	$(Q)VGPU_LIB=$(BUILD)/libvgpu-inside.a $(VGPUCC) $(filter %.o,$^) -o $@

SUITES += tape
.PHONY: test-tape
test-tape: $(RESULTS)/tape/probe
	@$(SUITE) tape sh $(TAPE)/run.sh $< $(RESULTS)/tape

# ---- planted bugs, the same repaired, and programs that must stay silent ----

DIAGNOSTICS  := $(VGPU_TESTS)/diagnostics
BUGS         := $(notdir $(basename $(wildcard $(DIAGNOSTICS)/bugs/*.cu)))
HARMLESS     := $(notdir $(basename $(wildcard $(DIAGNOSTICS)/silent/*.cu)))
# One bug of each kind.
SOME_BUGS    := barrier_in_branch copy_too_large endless_loop global_write_past_end launch_too_many_threads leak \
                race_blocks_result race_reduction shuffle_from_inactive_lane uninitialised_shared
bug_programs  = $(addprefix $(RESULTS)/diagnostics/bugs/,$1)
judge_bugs    = sh $(DIAGNOSTICS)/run.sh $1 $(RESULTS)/diagnostics/bugs

# What is cheapest, of so many: PTX alone, since findings know nothing of machine code; and the headers of C++14, which take
# three quarters of the time of C++17's and give the same PTX.
PTX_ONLY := -gencode arch=compute_75,code=compute_75
$(RESULTS)/diagnostics/%.o: NVCC_FLAGS := $(PTX_ONLY) -std=c++14
$(addprefix $(RESULTS)/diagnostics/silent/,$(addsuffix .o,cooperative_groups grid_sync release_and_acquire)): NVCC_FLAGS := $(PTX_ONLY)

$(RESULTS)/diagnostics/bugs/%-fixed.o: $(DIAGNOSTICS)/bugs/%.cu | $(VGPUCC)
	@echo "NVCC  $< (repaired)"
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) $(call nvcc_options,$<) -DFIXED -c $< -o $@

.PHONY: test-diagnostics test-some-diagnostics test-repaired test-silent
test-diagnostics: $(call bug_programs,$(call only,$(BUGS)))
	@+$(SUITE) diagnostics $(call judge_bugs,bugs) $(call only,$(BUGS))
test-some-diagnostics: $(call bug_programs,$(SOME_BUGS))
	@+$(SUITE) some-diagnostics $(call judge_bugs,bugs) $(SOME_BUGS)
test-repaired: $(call bug_programs,$(addsuffix -fixed,$(call only,$(BUGS))))
	@+$(SUITE) repaired $(call judge_bugs,repaired) $(call only,$(BUGS))
test-silent: $(addprefix $(RESULTS)/diagnostics/silent/,$(call only,$(HARMLESS)))
	@+$(SUITE) silent sh $(DIAGNOSTICS)/run.sh silent $(RESULTS)/diagnostics/silent $(call only,$(HARMLESS))

# ---- terminal: what is shown while a kernel takes long ----

SUITES += terminal
.PHONY: test-terminal
test-terminal: $(RESULTS)/diagnostics/bugs/limit_one_thread
	@+$(SUITE) terminal sh $(VGPU_TESTS)/terminal/run.sh $< $(RESULTS)/terminal

# ---- conformance: every instruction against what a GPU computed ----

CONFORMANCE  := $(VGPU_TESTS)/conformance
FAMILIES     := $(shell sed -n 's/^FAMILY(\([a-z0-9_]*\)).*/\1/p' $(CONFORMANCE)/families.def 2>/dev/null)
BY_HAND      := $(foreach f,$(FAMILIES),$(if $(wildcard $(CONFORMANCE)/$f.cu),$f))
GENERATED    := $(addprefix $(RESULTS)/conformance/cases_,$(filter-out $(BY_HAND),$(FAMILIES)))

# The rows of Hopper are among the cases; the virtual GPU needs their PTX only.
$(RESULTS)/conformance/%.o: NVCC_FLAGS := -gencode arch=compute_90,code=compute_90

$(addprefix $(RESULTS)/conformance/,$(addsuffix .o,$(BY_HAND))): $(wildcard $(CONFORMANCE)/*.def $(CONFORMANCE)/*.cuh)

$(RESULTS)/conformance/generate: $(CONFORMANCE)/generate.c $(CONFORMANCE)/generate_memory.c $(BUILD)/libvgpu-inside.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) -I$(CONFORMANCE) $^ $(LDLIBS) -o $@

$(RESULTS)/conformance/cases.stamp: $(RESULTS)/conformance/generate
	$(Q)$< $(@D) > $(@D)/cases.log && touch $@

$(addsuffix .cu,$(GENERATED)): $(RESULTS)/conformance/cases.stamp ;

$(RESULTS)/conformance/cases_%.o: $(RESULTS)/conformance/cases_%.cu $(CONFORMANCE)/suite.h $(CONFORMANCE)/by_hand.cuh | $(VGPUCC)
	@echo "NVCC  $<"
	$(Q)$(VGPUCC) $(NVCC_FLAGS) -I$(CONFORMANCE) -c $< -o $@

$(RESULTS)/conformance/suite.o: $(CONFORMANCE)/suite.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) -c $< -o $@

$(RESULTS)/conformance/conformance: $(addsuffix .o,$(GENERATED) $(addprefix $(RESULTS)/conformance/,$(BY_HAND) conformance \
                                    suite)) $(BUILD)/libvgpu.a
	$(Q)$(VGPUCC) $(NVCC_LINK) $(filter %.o,$^) -o $@

.PHONY: test-conformance
test-conformance: $(RESULTS)/conformance/conformance
	@$(SUITE) conformance sh $(VGPU_TESTS)/run_conformance.sh $< $(CONFORMANCE)/golden.bin

# ---- cuBLAS and cuRAND: what the kit has in their place ----

LIBRARY_CASES := products vectors systems light errors times directions random_rows refused missing declared
LIBRARY_TESTS := $(addprefix $(RESULTS)/libraries/,$(call only,$(LIBRARY_CASES)))

$(RESULTS)/libraries/%: $(RESULTS)/libraries/%.o $(BUILD)/libvgpu.a $(BUILD)/libvgpu-cublas.a $(BUILD)/libvgpu-curand.a
	$(Q)$(VGPUCC) $(NVCC_LINK) $< -lcublas -lcublasLt -lcurand -o $@

.PHONY: test-libraries
test-libraries: $(filter-out %/missing %/declared,$(LIBRARY_TESTS)) $(BUILD)/libvgpu.a $(VGPUCC)
	@$(SUITE) libraries sh $(VGPU_TESTS)/libraries/run.sh $(BUILD) $(LIBRARY_TESTS)

# ---- sanitizers and fuzzing ----

SANITIZE  := -fsanitize=address,undefined -fno-sanitize-recover=undefined
ASAN_MODE := -O1 -g -fno-omit-frame-pointer $(SANITIZE)
ASAN_PROGRAMS := $(LECTURES) $(addprefix $(RESULTS)/programs/,atomics cooperative device_classes device_heap dynamic_parallelism graphs \
                 graph_conditions graph_memory half_precision host_clock initialisers inline_ptx managed own_names/own_names \
                 printf_formats \
                 runtime_memory runtime_streams sorting streams_and_events texture_sampling texture_surfaces \
                 waiting_blocks waiting_for_host warpops_intrinsics)
# Leaks are looked for in the unit tests: programs leave their memory to the end of the process, and the search takes
# many seconds in each.
NO_LEAKS := ASAN_OPTIONS=detect_leaks=0

.PHONY: asan
# nvcc would split the names of sanitizers at a comma: each is an option of its own.
asan: ## unit tests, readers and CUDA programs under ASan and UBSan
	@sh common/setup.sh check
	@$(MAKE) BUILD=$(BUILD)/asan CC=gcc MODE='$(ASAN_MODE)' NVCC_LINK='-Xcompiler -fsanitize=address -Xcompiler -fsanitize=undefined' asan-suites

.PHONY: asan-suites
asan-suites: $(UNIT_TESTS) $(ASAN_PROGRAMS) $(BAD_INPUT)
	@rm -f $(RESULTS)/*.result
	@CK_FORK=no $(SUITE) unit sh $(VGPU_TESTS)/run_unit.sh $(UNIT_TESTS) || true
	@$(NO_LEAKS) $(SUITE) programs sh $(VGPU_TESTS)/run_programs.sh none $(ASAN_PROGRAMS) || true
	@$(NO_LEAKS) VGPU_CHECK=full $(SUITE) full-check sh $(VGPU_TESTS)/run_programs.sh none $(ASAN_PROGRAMS) || true
	@$(NO_LEAKS) $(SUITE) bad-input sh $(VGPU_TESTS)/bad_input/run.sh $(RESULTS)/bad_input/damaged $(BAD_INPUT) || true
	@CK_FORK=no $(MAKE) test-base test-judge-unit test-grader || true
	@sh $(VGPU_TESTS)/total.sh $(RESULTS) unit base programs full-check bad-input judge-unit grader

FUZZ_SECONDS ?= 300
FUZZ         := $(BUILD)/fuzz
FUZZ_TARGETS := $(patsubst $(VGPU_TESTS)/fuzz_%.c,%,$(wildcard $(VGPU_TESTS)/fuzz_*.c))
# clang says so when a loop over lanes does not become vector code: with sanitizers none does.
FUZZ_MODE    := -O1 -g -fno-omit-frame-pointer -Wno-pass-failed $(SANITIZE)

$(FUZZ)/fuzz_device: $(VGPU_TESTS)/device_mutations.c
$(FUZZ)/fuzz_%: $(VGPU_TESTS)/fuzz_%.c $(BUILD)/libvgpu-inside.a
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -o $@

.PHONY: fuzz fuzz-targets fuzz-programs test-fuzz
fuzz-targets: $(addprefix $(FUZZ)/fuzz_,$(FUZZ_TARGETS))
fuzz-programs:
	@$(MAKE) BUILD=$(FUZZ)/library FUZZ=$(FUZZ) CC=clang MODE='$(FUZZ_MODE) -fsanitize=fuzzer-no-link' fuzz-targets
fuzz: ## PTX, fatbins and traces from hostile hands under libFuzzer, FUZZ_SECONDS=300 in all
	@sh common/setup.sh clang
	@$(MAKE) fuzz-programs
	@sh $(VGPU_TESTS)/fuzz.sh $(FUZZ) $(FUZZ_SECONDS) $(FUZZ_TARGETS)
# A minute of it, where clang is.
LONG   += fuzz
test-fuzz:
	@+if sh $(VGPU_TESTS)/fuzz.sh can; then $(MAKE) fuzz-programs; fi
	@FUZZ_SEED=1 $(SUITE) fuzz sh $(VGPU_TESTS)/fuzz.sh $(FUZZ) 60 $(FUZZ_TARGETS)

# ---- lint ----

TIDY_FILES    := $(VGPU_SOURCES) $(VGPU)/vgpucc/vgpucc.c $(wildcard common/base/*.c common/lab/*.c common/trace/*.c grader/*.c grader/course/*.c grader/judge/*.c grader/scout/*.c labs/*/*.c)
TIDY_INCLUDES := -I$(VGPU) -Icommon -I.
.PHONY: lint-tidy lint-cppcheck $(TIDY_FILES:%=tidy/%)
lint-tidy: $(TIDY_FILES:%=tidy/%)
$(TIDY_FILES:%=tidy/%): tidy/%:
	$(Q)clang-tidy --quiet $* -- -std=gnu11 -fno-strict-aliasing $(TIDY_INCLUDES) -isystem $(CUDA)/include 2>/dev/null
lint-cppcheck:
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability,performance --inline-suppr \
	    --suppressions-list=$(VGPU)/cppcheck.txt $(TIDY_INCLUDES) $(TIDY_FILES)
