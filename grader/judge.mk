# The scout, which records what a submission asks for, and the judges, which replay it.

JUDGE_CFLAGS  := $(CFLAGS) -I. -Icommon $(if $(CUDA),-isystem $(CUDA)/include)
grader_object  = $(patsubst %,$(BUILD)/grader/%.o,$1)
JUDGE_COMMON  := $(call grader_object,$(addprefix judge/,main judge side stats) verdict) $(BUILD)/trace/player.o $(TRACE_OBJECTS) $(LAB_CORE)
JUDGE_VIRTUAL := $(JUDGE_COMMON) $(call grader_object,$(addprefix judge/,check findings model volume))
JUDGE_GPU     := $(JUDGE_COMMON) $(call grader_object,judge/measure) $(BUILD)/lab/device.o

.PHONY: judges
judges: $(BUILD)/judge-virtual $(BUILD)/judge-gpu ## the programs that verify and time submissions

$(BUILD)/grader/%.o: grader/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(JUDGE_CFLAGS) $(CPPFLAGS) -c $< -o $@

# Without symbols: what the checkers say about a buffer would else name the line of ours that allocated it.
$(BUILD)/judge-virtual: $(JUDGE_VIRTUAL) $(BUILD)/libvgpu.a
	@echo "LINK  $@"
	$(Q)$(CC) -s $^ -ldl $(LDLIBS) -o $@

$(BUILD)/judge-gpu: $(JUDGE_GPU)
	@echo "LINK  $@"
	$(Q)$(NVCC_BIN) -cudart static $^ -ldl $(LDLIBS) -o $@

# What a submission's object and a lab's driver.o are linked with: vgpucc SCOUT_OBJECTS driver.o lab3.o -o scout.
SCOUT_OBJECTS := $(call grader_object,scout/main) $(BUILD)/trace/recorder.o $(TRACE_OBJECTS) $(LAB_CORE)

.PHONY: scout-objects
scout-objects: $(SCOUT_OBJECTS)

# The kit's own baselines are recorded once, when they are built.
$(BUILD)/labs/%/baseline-scout: $(BUILD)/labs/%/baseline.o $(BUILD)/labs/%/driver.o $(SCOUT_OBJECTS) $(BUILD)/libvgpu.a \
                                | $(VGPUCC)
	$(Q)$(VGPUCC) -Xlinker --export-dynamic $(filter %.o,$^) -ldl -o $@

$(BUILD)/labs/%/baseline.trace: $(BUILD)/labs/%/baseline-scout
	$(Q)$< --baseline --source baseline.cu --out $@

# ---- tests ----

JUDGE_TESTS := grader/tests
SUITES      += judge-unit judge
QUICK       += judge-unit judge

$(RESULTS)/judge/test_stats: $(BUILD)/grader/judge/stats.o
$(RESULTS)/judge/test_verdict: $(BUILD)/grader/verdict.o
$(RESULTS)/judge/test_%: $(JUDGE_TESTS)/test_%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(JUDGE_CFLAGS) $(CPPFLAGS) -MF $@.d $^ $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-judge-unit test-judge test-judge-gpu
test-judge-unit: $(call only,$(addprefix $(RESULTS)/judge/,test_verdict test_stats))
	@$(SUITE) judge-unit sh $(VGPU_TESTS)/run_unit.sh $^

test-judge: $(BUILD)/judge-virtual $(SCOUT_OBJECTS) vgpu
	@ONLY='$(ONLY)' CC='$(CC)' NVCC='$(NVCC_BIN)' OBJCOPY='$(OBJCOPY)' $(SUITE) judge sh $(JUDGE_TESTS)/judge.sh $(BUILD) $(RESULTS)/judge

# Needs a GPU; not among the suites.
test-judge-gpu: $(BUILD)/judge-gpu $(SCOUT_OBJECTS) vgpu
	@ON_GPU=1 CC='$(CC)' NVCC='$(NVCC_BIN)' OBJCOPY='$(OBJCOPY)' $(SUITE) judge-gpu sh $(JUDGE_TESTS)/judge.sh $(BUILD) $(RESULTS)/judge
