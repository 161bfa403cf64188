# Tests of the judge. Variables are those of judge.mk.

JUDGE_TESTS := grader/tests
SUITES      += judge-unit judge measured
QUICK       += judge-unit some-judge

$(RESULTS)/judge/test_effort: $(BUILD)/grader/judge/effort.o
$(RESULTS)/judge/test_origin: $(BUILD)/grader/judge/origin.o $(BUILD)/libvgpu.a
$(RESULTS)/judge/test_pipeline: $(BUILD)/grader/judge/pipeline.o $(BASE_OBJECTS)
$(RESULTS)/judge/test_verdict: $(BUILD)/grader/verdict.o
$(RESULTS)/judge/test_%: $(JUDGE_TESTS)/test_%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(JUDGE_CFLAGS) $(CPPFLAGS) -MF $@.d $(filter %.c %.o %.a,$^) $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-measured test-judge-unit test-judge test-some-judge test-judge-gpu
test-judge-unit: $(call only,$(addprefix $(RESULTS)/judge/,test_verdict test_effort test_origin test_pipeline))
	@$(SUITE) judge-unit sh $(VGPU_TESTS)/run_unit.sh $^

# A lab with one stage per mistake, and what a verdict must say of each.
TINY     := $(JUDGE_TESTS)/tiny-lab
TINY_OUT := $(RESULTS)/judge

$(addprefix $(TINY_OUT)/,driver.o blind.o): $(TINY)/tiny.c | cuda-headers
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) $(CPPFLAGS) -c $< -o $@
$(TINY_OUT)/blind.o: LAB_CFLAGS += $(LAB_BLIND)

$(TINY_OUT)/scout.o: $(TINY_OUT)/blind.o $(SCOUT_OBJECTS)
	$(link_scout)

$(TINY_OUT)/lab.so: $(TINY_OUT)/driver.o $(LAB_CORE)
	$(Q)$(CC) -shared -Wl,-Bsymbolic $^ -lm -o $@

$(TINY_OUT)/expect: $(TINY)/expect.c $(BUILD)/grader/verdict.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(JUDGE_CFLAGS) -I$(TINY) $(CPPFLAGS) -MF $@.d $(filter %.c %.o,$^) $(LDLIBS) -o $@

$(addprefix $(TINY_OUT)/,tiny.o baseline.o): $(TINY_OUT)/%.o: $(TINY)/%.cu | cuda-headers
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(NVCC_BIN) $(LAB_NVFLAGS) -I $(TINY) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(TINY_OUT)/%.fatbin: $(TINY_OUT)/%.o
	$(Q)$(OBJCOPY) -O binary --only-section=.nv_fatbin $< $@

$(TINY_OUT)/scout-%: $(TINY_OUT)/%.o $(TINY_OUT)/scout.o $(BUILD)/libvgpu.a | $(VGPUCC)
	$(Q)$(VGPUCC) -Xlinker --export-dynamic $(filter %.o,$^) -ldl -o $@

$(TINY_OUT)/baseline.trace: $(TINY_OUT)/scout-baseline
	$(Q)$< --baseline --source baseline.cu --out $@

.PHONY: tiny-lab
tiny-lab: $(addprefix $(TINY_OUT)/,lab.so expect tiny.fatbin scout-tiny baseline.fatbin baseline.trace)

test-judge: $(BUILD)/judge-virtual tiny-lab
	@ONLY='$(ONLY)' $(SUITE) judge sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT) $(RESULTS)/judge/work

# A stage of each kind, none of which runs into a limit.
SOME_STAGES := right own_memory leaves_error is_missing untouched no_launch refused out_of_bounds races barrier uninitialised \
               loses_updates misaligned partly edge wrong changes_input skips_writing skips_reading host_read
test-some-judge: $(BUILD)/judge-virtual tiny-lab
	@ONLY='$(SOME_STAGES)' $(SUITE) some-judge sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT) $(RESULTS)/some-judge/work

# How a GPU is measured, on a virtual one: what is timed is compared in every repetition there as well. Limits are those of a machine
# that is busy.
$(TINY_OUT)/judge-measured: $(filter-out $(BUILD)/vgpu/%,$(JUDGE_GPU)) $(BUILD)/libvgpu.a | $(VGPUCC)
	$(Q)$(VGPUCC) $(filter %.o,$^) -ldl -o $@

test-measured: $(TINY_OUT)/judge-measured tiny-lab
	@ON_GPU=1 LIMIT=100 $(SUITE) measured sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT) $(RESULTS)/measured/work

# Needs a GPU; not among the suites.
test-judge-gpu: $(BUILD)/judge-gpu tiny-lab
	@ON_GPU=1 $(SUITE) judge-gpu sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT) $(RESULTS)/judge-gpu/work
