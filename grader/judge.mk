# The scout, which records what a submission asks for, and the judges, which replay it.

JUDGE_CFLAGS  := $(CFLAGS) -I. -Icommon $(if $(CUDA),-isystem $(CUDA)/include)
grader_object  = $(patsubst %,$(BUILD)/grader/%.o,$1)
JUDGE_COMMON  := $(call grader_object,$(addprefix judge/,main floor judge side stats) verdict) $(BUILD)/trace/player.o $(TRACE_OBJECTS) $(LAB_CORE)
JUDGE_VIRTUAL := $(JUDGE_COMMON) $(call grader_object,$(addprefix judge/,check coverage effort findings kits model pipeline sample)) $(BUILD)/lab/sample.o
JUDGE_GPU     := $(JUDGE_COMMON) $(call grader_object,judge/measure) $(BUILD)/lab/device.o

.PHONY: judges
judges: $(BUILD)/judge-virtual $(BUILD)/judge-gpu ## the programs that verify and time submissions

# The verdict is of ./grade too, which is made without CUDA.
$(filter-out $(BUILD)/grader/verdict.o,$(filter $(BUILD)/grader/%,$(JUDGE_VIRTUAL) $(JUDGE_GPU))) $(BUILD)/grader/scout/main.o: | cuda-headers
$(BUILD)/grader/%.o: grader/%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(JUDGE_CFLAGS) $(CPPFLAGS) -c $< -o $@

# Without line numbers: what is said of a buffer would else name the line of ours that allocated it.
$(BUILD)/grader/scout/main.o: JUDGE_CFLAGS += -g0

# Without symbols: what the checkers say about a buffer would else name the line of ours that allocated it.
$(BUILD)/judge-virtual: $(JUDGE_VIRTUAL) $(BUILD)/libvgpu.a
	@echo "LINK  $@"
	$(Q)$(CC) $(MODE) -s $^ $(LDLIBS) -o $@

$(BUILD)/judge-gpu: $(JUDGE_GPU)
	@echo "LINK  $@"
	$(Q)$(NVCC_BIN) -cudart static $^ $(LDLIBS) -o $@

# All that a submission's object is linked with besides the virtual GPU, in one piece: vgpucc scout.o lab3.o -o scout. It holds
# what main needs, so no function that knows what is right. Only main can be seen from outside, and the steps of the host that a
# lab offers (host_*): a submission's names meet no others of the kit's, and it can call none of its other functions.
SCOUT_OBJECTS := $(call grader_object,scout/main) $(BUILD)/trace/recorder.o $(TRACE_OBJECTS) $(LAB_CORE)

define link_scout
	$(Q)$(LD) -r --gc-sections -u main $$(nm -g --defined-only $< | awk '$$3 ~ /^host_/ { print "-u", $$3 }') $^ -o $@.all
	$(Q)$(OBJCOPY) --strip-debug --wildcard --keep-global-symbol=main --keep-global-symbol='host_*' $@.all $@
	$(Q)rm -f $@.all
endef

$(BUILD)/labs/%/scout.o: $(BUILD)/labs/%/blind.o $(SCOUT_OBJECTS)
	$(link_scout)

# Every submission is linked with it: without debug information it is a sixth as large.
SCOUT_LIBRARY := $(BUILD)/libvgpu-scout.a
$(SCOUT_LIBRARY): $(BUILD)/libvgpu.a
	$(Q)$(OBJCOPY) --strip-debug $< $@

# The kit's own baselines are recorded once, when they are built.
$(BUILD)/labs/%/baseline-scout: $(BUILD)/labs/%/baseline.o $(BUILD)/labs/%/scout.o $(SCOUT_LIBRARY) | $(VGPUCC)
	$(Q)VGPU_LIB=$(SCOUT_LIBRARY) $(VGPUCC) -Xlinker --export-dynamic $(filter %.o,$^) -ldl -o $@

$(BUILD)/labs/%/baseline.trace: $(BUILD)/labs/%/baseline-scout
	$(Q)$< --baseline --source baseline.cu --out $@

# What they take at the timed size on the GPU that grades are given for: every judge would find out the same, and says what is
# wrong where this cannot be told.
$(BUILD)/labs/%/kits: $(BUILD)/judge-virtual $(BUILD)/labs/%/lab.so $(BUILD)/labs/%/baseline.trace $(BUILD)/labs/%/baseline.fatbin
	$(Q)$< --tell-kits --lab $(@D)/lab.so --stage 1 --seed 1 --gpu h200 --stdout --trace $(@D)/baseline.trace --fatbin $(@D)/baseline.fatbin \
	    --baseline-trace $(@D)/baseline.trace --baseline-fatbin $(@D)/baseline.fatbin > $@.part 2> $@.log || : > $@.part
	$(Q)mv $@.part $@

# ---- tests ----

JUDGE_TESTS := grader/tests
SUITES      += judge-unit judge
QUICK       += judge-unit some-judge

$(RESULTS)/judge/test_stats: $(BUILD)/grader/judge/stats.o
$(RESULTS)/judge/test_effort: $(BUILD)/grader/judge/effort.o
$(RESULTS)/judge/test_pipeline: $(BUILD)/grader/judge/pipeline.o
$(RESULTS)/judge/test_verdict: $(BUILD)/grader/verdict.o
$(RESULTS)/judge/test_%: $(JUDGE_TESTS)/test_%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(JUDGE_CFLAGS) $(CPPFLAGS) -MF $@.d $(filter %.c %.o %.a,$^) $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-judge-unit test-judge test-some-judge test-judge-gpu
test-judge-unit: $(call only,$(addprefix $(RESULTS)/judge/,test_verdict test_stats test_effort test_pipeline))
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
	@ONLY='$(ONLY)' $(SUITE) judge sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT)

# A stage of each kind, none of which runs into a limit.
SOME_STAGES := right own_memory leaves_error is_missing untouched no_launch refused out_of_bounds races barrier uninitialised \
               loses_updates misaligned partly edge wrong changes_input skips_writing skips_reading host_read
test-some-judge: $(BUILD)/judge-virtual tiny-lab
	@ONLY='$(SOME_STAGES)' $(SUITE) some-judge sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT)

# Needs a GPU; not among the suites.
test-judge-gpu: $(BUILD)/judge-gpu tiny-lab
	@ON_GPU=1 $(SUITE) judge-gpu sh $(JUDGE_TESTS)/judge.sh $< $(TINY_OUT)
