# Tests of the grader and of the labs, from outside and of its parts. Variables are those of grader.mk.

GRADE_TESTS := grader/tests
GRADE_INSIDE := $(filter-out %/main.o,$(GRADE_OBJECTS)) $(BUILD)/grader/verdict.o $(LAB_CORE) $(BASE_OBJECTS) $(PAGE_OBJECTS)
SUITES += grader compiler diagnosis help grade daily watch hint editor batch results damage private export labs honest bad faults mistakes agree attacks explain page similar class-pages install student-kit references
QUICK  += grader some-labs some-mistakes
LONG   += kill class slurm long-student-kit gradescope container new-lab matrix apart long-honest long-attacks long-mistakes long-agree long-explain long-page long-class-pages

$(RESULTS)/grader/test_%: $(GRADE_TESTS)/test_%.c $(GRADE_INSIDE)
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(GRADE_CFLAGS) $(CPPFLAGS) -MF $@.d $(filter %.c %.o %.a,$^) $(CHECK_LIBS) $(LDLIBS) $(COURSE_LIBS) -o $@

$(RESULTS)/grader/test_sandbox: | $(BUILD)/keeper
$(RESULTS)/grader/test_scout: | $(LAB_IDS:%=$(BUILD)/labs/%/ready)

.PHONY: test-grader
test-grader: $(call only,$(addprefix $(RESULTS)/grader/test_,options history saves screen score inspect place report csv intake archives sandbox scout gpus course alike))
	@CC='$(CC)' $(SUITE) grader sh $(VGPU_TESTS)/run_unit.sh $^

# Points of a class in every format, read back by readers of their own; then by the command, and by what else reads JSON and XML here.
$(RESULTS)/grader/test_export: $(GRADE_TESTS)/readers.c
.PHONY: test-export
test-export: $(RESULTS)/grader/test_export grade
	@CC='$(CC)' $(SUITE) export sh $(GRADE_TESTS)/export.sh $(RESULTS)/export $<
# A damaged store is told, and recovered.
.PHONY: test-damage
test-damage: $(RESULTS)/grader/test_export $(BUILD)/kit-ready
	@sh common/setup.sh bwrap sqlite sqlite3 || true
	@$(SUITE) damage sh $(GRADE_TESTS)/damage.sh $(RESULTS)/damage $<
# nvcc's steps side by side, beside nvcc.
.PHONY: test-compiler
test-compiler: $(BUILD)/compiler
	@$(SUITE) compiler sh $(GRADE_TESTS)/compiler.sh $< '$(NVCC_BIN)' $(abspath $(RESULTS))/compiler

# What is told of errors of compilers: a file for each row of diagnosis.def, through nvcc.
DIAGNOSED := $(notdir $(basename $(wildcard $(GRADE_TESTS)/diagnosed/*.cu)))
.PHONY: test-diagnosis
test-diagnosis: $(RESULTS)/grader/test_diagnosis
	@+$(SUITE) diagnosis sh $(GRADE_TESTS)/diagnosis.sh $(abspath $<) '$(NVCC_BIN)' $(call only,$(DIAGNOSED))

# With this, ./grade finds all that it needs and calls no make of its own beside the one that runs the tests.
$(BUILD)/kit-ready: grade $(LAB_IDS:%=$(BUILD)/labs/%/ready)
	$(Q)touch $(LAB_IDS:%=$(BUILD)/labs/%/ready) $@

# The report for machines is the same for all labs: one that copies, one with a bonus, one of each kind of time.
LAB_CASES := $(foreach lab,$(LAB_IDS),$(addprefix $(lab)-,skeleton solution)) lab3-json lab8-json lab9-json
HONEST    := $(foreach lab,$(LAB_IDS),$(addprefix $(lab)-,$(notdir $(basename $(wildcard $(GRADE_TESTS)/honest/$(lab)/*.cu $(GRADE_TESTS)/honest/$(lab)/*.patch)))))
# Each patch makes one typical mistake of a solution; the report must say what its first lines promise.
MISTAKES  := $(foreach lab,$(LAB_IDS),$(addprefix $(lab)-,$(notdir $(basename $(wildcard $(GRADE_TESTS)/mistakes/$(lab)/*.patch)))))

ATTACKS   := $(foreach lab,$(LAB_IDS),$(addprefix $(lab)-,$(notdir $(basename $(wildcard $(GRADE_TESTS)/attacks/$(lab)/*.cu $(GRADE_TESTS)/attacks/$(lab)/*.patch)))))
# `make test` has a few of each stage or principle, `make test-long` the others, among them those that take more than four or
# five seconds, which say so.
few  = $(if $(ONLY),$(call only,$2),$(shell sh $(GRADE_TESTS)/tier.sh $1))
rest = $(if $(ONLY),$(call only,$2),$(filter-out $(shell sh $(GRADE_TESTS)/tier.sh $1),$2))

.PHONY: test-labs test-some-labs test-matrix test-honest test-long-honest test-mistakes test-long-mistakes test-some-mistakes
test-labs: $(BUILD)/kit-ready
	@+$(SUITE) labs sh $(GRADE_TESTS)/labs.sh $(RESULTS)/labs $(call only,$(LAB_CASES))
test-some-labs: $(BUILD)/kit-ready
	@+$(SUITE) some-labs sh $(GRADE_TESTS)/labs.sh $(RESULTS)/some-labs $(filter lab3-%,$(LAB_CASES))
# What `./grade check` says of the kit's own labs: points of the kernel of every step in every slot, and times.
CHECKED := $(LAB_IDS:%=$(RESULTS)/check/%.json)
$(CHECKED): $(RESULTS)/check/%.json: $(BUILD)/kit-ready $(wildcard solutions/*/*)
	@mkdir -p $(@D)
	$(Q)./grade check $* --gpu h200 --json > $@ 2> $@.log || [ $$? = 1 ] || { cat $@.log; exit 2; }

.PHONY: checked
checked: $(CHECKED)

# The kernel of every step in every slot; other ways of doing a step.
test-matrix: $(CHECKED)
	@+$(SUITE) matrix sh $(GRADE_TESTS)/matrix.sh $(RESULTS)/check $(call only,$(LAB_IDS))
# Why kernels take as long as they do: some of them, and all others.
EXPLAINED      = $(shell sh $(GRADE_TESTS)/explain.sh --list)
SOME_EXPLAINED := lab3-given lab3-solution conflicts conflicts_that_cost_nothing atomics_on_one_word copies divergence one_atomic_per_block refused complete
.PHONY: test-explain test-long-explain
test-explain: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@+$(SUITE) explain sh $(GRADE_TESTS)/explain.sh $(RESULTS)/explain $(if $(ONLY),$(call only,$(EXPLAINED)),$(SOME_EXPLAINED))
test-long-explain: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap patch || true
	@+$(SUITE) long-explain sh $(GRADE_TESTS)/explain.sh $(RESULTS)/long-explain $(call only,$(filter-out $(SOME_EXPLAINED),$(EXPLAINED)))
# After a change of a solution or of the timing model; LABS: those alone.
.PHONY: references test-references
references: grade $(LAB_IDS:%=$(BUILD)/%) $(addprefix grade-,$(LAB_IDS)) ## what the solutions count, for pages of ./grade explain: labs/*/reference.csv
	@sh $(GRADE_TESTS)/write_references.sh $(or $(LABS),$(LAB_IDS))
test-references: $(BUILD)/kit-ready
	@+$(SUITE) references sh $(GRADE_TESTS)/references.sh $(RESULTS)/references $(call only,$(LAB_IDS))
# Pages of stages, one or two of each lab; of a program.
PAGED := lab3.3 lab4.4 lab8.9
.PHONY: test-page test-long-page
PAGED_BUGS := race_read_after_write leak global_write_past_end
test-page: $(BUILD)/kit-ready $(RESULTS)/programs/scan $(call bug_programs,$(PAGED_BUGS))
	@+$(SUITE) page sh $(GRADE_TESTS)/page.sh $(RESULTS)/page $(RESULTS)/programs/scan $(RESULTS)/diagnostics/bugs $(PAGED)
test-long-page: $(BUILD)/kit-ready $(RESULTS)/programs/texture_sampling $(call bug_programs,$(PAGED_BUGS))
	@+$(SUITE) long-page sh $(GRADE_TESTS)/page.sh $(RESULTS)/long-page $(RESULTS)/programs/texture_sampling $(RESULTS)/diagnostics/bugs \
	    lab2.4 lab0.2 lab1.4 lab4.9 lab5.6 lab6.4 lab7.2 lab8.2 lab8.8 lab8.10 lab9.5 lab10.3 lab10.12
# Pages of a class, and pairs that are alike; with pages that explain stages.
.PHONY: test-class-pages test-long-class-pages test-similar
test-class-pages: $(BUILD)/kit-ready
	@sh common/setup.sh sqlite3 patch
	@$(SUITE) class-pages sh $(GRADE_TESTS)/class_pages.sh $(RESULTS)/class-pages
test-long-class-pages: $(BUILD)/kit-ready
	@sh common/setup.sh sqlite3 patch
	@$(SUITE) long-class-pages sh $(GRADE_TESTS)/class_explained.sh $(RESULTS)/long-class-pages
test-similar: $(BUILD)/kit-ready
	@sh common/setup.sh sqlite3
	@$(SUITE) similar sh $(GRADE_TESTS)/similar.sh $(RESULTS)/similar
# Honest files and disguised copies of them, beside what is told.
.PHONY: similar-report
similar-report: $(RESULTS)/alike_report ## how many disguised copies ./grade similar finds, and how many honest pairs it takes for one
	@sh $(GRADE_TESTS)/alike_report.sh $(RESULTS)/similar-report $(abspath $<)
$(RESULTS)/alike_report: $(GRADE_TESTS)/alike_report.c $(addprefix grader/course/alike,.c _tokens.c _rank.c .h) common/base/file.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -I. -I common $(filter %.c,$^) -o $@
# GPUs on which rows say that their tiers are apart (.apart_on): lab3-a100.
APART = $(shell awk -F '"' '/[.]apart_on = / { split(FILENAME, part, /[-\/]/); n = split($$2, gpu, " "); \
           for (i = 1; i <= n; i++) print part[2] "-" gpu[i] }' $(wildcard labs/*/*.c) | sort -u)
.PHONY: test-apart
test-apart: $(BUILD)/kit-ready
	@+$(SUITE) apart sh $(GRADE_TESTS)/apart.sh $(RESULTS)/apart $(call only,$(APART))
test-honest: $(BUILD)/kit-ready
	@sh common/setup.sh patch
	@+$(SUITE) honest sh $(GRADE_TESTS)/honest.sh $(RESULTS)/honest $(call few,honest,$(HONEST))
test-long-honest: $(BUILD)/kit-ready
	@sh common/setup.sh patch
	@+$(SUITE) long-honest sh $(GRADE_TESTS)/honest.sh $(RESULTS)/long-honest $(call rest,honest,$(HONEST))
test-mistakes: $(BUILD)/kit-ready
	@sh common/setup.sh patch
	@+$(SUITE) mistakes sh $(GRADE_TESTS)/mistakes.sh $(RESULTS)/mistakes $(call few,mistakes,$(MISTAKES))
test-long-mistakes: $(BUILD)/kit-ready
	@sh common/setup.sh patch
	@+$(SUITE) long-mistakes sh $(GRADE_TESTS)/mistakes.sh $(RESULTS)/long-mistakes $(call rest,mistakes,$(MISTAKES))
# The first mistakes of three labs; all of them.
AGREE_OBJECTS := $(LAB_CORE) $(LAB_MAIN)
.PHONY: test-agree test-long-agree
test-agree: $(BUILD)/kit-ready $(AGREE_OBJECTS) $(foreach lab,$(LAB_IDS),$(BUILD)/labs/$(lab)/driver.o $(BUILD)/labs/$(lab)/baseline-alone.o) $(BUILD)/libvgpu.a $(VGPUCC)
	@sh common/setup.sh patch
	@+$(SUITE) agree sh $(GRADE_TESTS)/agree.sh $(RESULTS)/agree "$(AGREE_OBJECTS)" $(if $(ONLY),$(call only,$(MISTAKES)),$(foreach lab,lab0 lab3 lab8,$(wordlist 1,12,$(filter $(lab)-%,$(MISTAKES)))))
test-long-agree: $(BUILD)/kit-ready $(AGREE_OBJECTS) $(foreach lab,$(LAB_IDS),$(BUILD)/labs/$(lab)/driver.o $(BUILD)/labs/$(lab)/baseline-alone.o) $(BUILD)/libvgpu.a $(VGPUCC)
	@sh common/setup.sh patch
	@+$(SUITE) long-agree sh $(GRADE_TESTS)/agree.sh $(RESULTS)/long-agree "$(AGREE_OBJECTS)" $(call only,$(MISTAKES))
test-some-mistakes: $(BUILD)/kit-ready
	@sh common/setup.sh patch
	@+$(SUITE) some-mistakes sh $(GRADE_TESTS)/mistakes.sh $(RESULTS)/some-mistakes $(wordlist 1,8,$(filter lab3-%,$(MISTAKES)))

.PHONY: test-help
test-help: $(BUILD)/kit-ready
	@$(SUITE) help sh $(GRADE_TESTS)/help.sh $(RESULTS)/help

SHOWN := $(abspath $(BUILD))/kit/shown

.PHONY: test-install
test-install: $(BUILD)/kit-ready $(OWN_NEEDS) $(BUILD)/kit/own-settings.mk
	@sh common/setup.sh bwrap || true
	@$(SUITE) install sh $(GRADE_TESTS)/install.sh $(RESULTS)/install $(BUILD) $(SHOWN)

.PHONY: test-grade test-daily test-watch test-hint test-editor test-batch test-bad test-faults test-attacks test-long-attacks test-new-lab
test-grade: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@$(SUITE) grade sh $(GRADE_TESTS)/grade.sh $(RESULTS)/grade
test-daily: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@$(SUITE) daily sh $(GRADE_TESTS)/daily.sh $(RESULTS)/daily
test-watch: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@$(SUITE) watch sh $(GRADE_TESTS)/watch.sh $(RESULTS)/watch
test-hint: $(BUILD)/kit-ready
	@sh common/setup.sh patch
	@$(SUITE) hint sh $(GRADE_TESTS)/hint.sh $(RESULTS)/hint
test-editor: $(BUILD)/kit-ready
	@$(SUITE) editor sh $(GRADE_TESTS)/editor.sh $(RESULTS)/editor '$(CUDA)'
test-batch: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@$(SUITE) batch sh $(GRADE_TESTS)/batch.sh $(RESULTS)/batch
.PHONY: test-private
test-private: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap sqlite || true
	@$(SUITE) private sh $(GRADE_TESTS)/private.sh $(RESULTS)/private
.PHONY: test-results test-kill test-class test-slurm setup-slurm
test-results: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap sqlite sqlite3 || true
	@$(SUITE) results sh $(GRADE_TESTS)/results.sh $(RESULTS)/results
test-kill: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap sqlite3 || true
	@$(SUITE) kill sh $(GRADE_TESTS)/kill.sh $(RESULTS)/kill
# A class of CLASS in each of two labs. Its bounds are those of idle cores.
CLASS ?= 200
test-class: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap patch sqlite3 zip || true
	@$(SUITE) class sh -c 'for lab in lab3 lab4; do sh $(GRADE_TESTS)/class.sh $(RESULTS)/class/$$lab $$lab $(CLASS) || failed=1; done; [ -z "$$failed" ]'
setup-slurm: ## install Slurm and munge, for `make test-slurm`
	@sh common/setup.sh slurmctld slurmd sbatch munged
test-slurm: $(BUILD)/kit-ready setup-slurm
	@$(SUITE) slurm sh $(GRADE_TESTS)/slurm.sh $(RESULTS)/slurm
test-bad: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@+$(SUITE) bad sh $(GRADE_TESTS)/bad.sh $(RESULTS)/bad $(ONLY)
test-faults: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@$(SUITE) faults sh $(GRADE_TESTS)/faults.sh $(RESULTS)/faults
test-attacks: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@+$(SUITE) attacks sh $(GRADE_TESTS)/attacks.sh $(abspath $(RESULTS))/attacks $(call few,attacks,$(ATTACKS))
test-long-attacks: $(BUILD)/kit-ready
	@sh common/setup.sh bwrap || true
	@+$(SUITE) long-attacks sh $(GRADE_TESTS)/attacks.sh $(abspath $(RESULTS))/long-attacks $(call rest,attacks,$(ATTACKS))
test-new-lab: $(BUILD)/kit-ready
	@$(SUITE) new-lab sh $(GRADE_TESTS)/new_lab.sh $(BUILD) $(RESULTS)/new-lab

.PHONY: bench-grade
bench-grade: $(BUILD)/kit-ready ## how long a lab takes to be graded, and until its first words; AGAINST=FOLDER: beside another kit
	@sh $(GRADE_TESTS)/cost.sh $(AGAINST)

# Needs a GPU; not among the suites.
RUNS ?= 1
.PHONY: test-gpu
test-gpu: grade $(addprefix grade-,$(LAB_IDS)) ## grades of solutions, skeletons, honest files and attacks on this machine's GPU
	@sh $(GRADE_TESTS)/gpu.sh $(BUILD)/gpu $(RUNS) $(LAB_IDS)
	@BACKEND= sh $(GRADE_TESTS)/honest.sh $(BUILD)/gpu-honest $(HONEST)
	@BACKEND= sh $(GRADE_TESTS)/attacks.sh $(abspath $(BUILD))/gpu-attacks

.PHONY: test-mistakes-gpu
test-mistakes-gpu: grade $(addprefix grade-,$(LAB_IDS)) ## points of all mistakes on this machine's GPU, beside the virtual one
	@JOBS=$(CORES) sh $(GRADE_TESTS)/mistakes_gpu.sh $(BUILD)/gpu-mistakes $(LAB_IDS)

.PHONY: test-gradescope
test-gradescope: $(KIT_NEEDS)
	@sh common/setup.sh bwrap || true
	@sh common/setup.sh zip unzip
	@$(SUITE) gradescope sh $(GRADE_TESTS)/gradescope.sh $(RESULTS)/gradescope $(BUILD)

.PHONY: test-container
test-container: $(KIT_NEEDS)
	@sh common/setup.sh bwrap || true
	@$(SUITE) container sh $(GRADE_TESTS)/container.sh $(RESULTS)/container $(BUILD)

# What students get: that it shows nothing; then, from nothing, every lab of it (ONLY: some).
.PHONY: test-student-kit test-long-student-kit
test-student-kit: $(KIT_NEEDS)
	@$(SUITE) student-kit sh $(GRADE_TESTS)/kit.sh $(RESULTS)/student-kit $(BUILD) $(SHOWN)
test-long-student-kit: $(BUILD)/kit-ready $(KIT_NEEDS)
	@+$(SUITE) long-student-kit sh $(GRADE_TESTS)/kit.sh $(RESULTS)/long-student-kit $(BUILD) $(SHOWN) $(call only,$(LAB_IDS))
