# The scout, which records what a submission asks for, and the judges, which replay it.

JUDGE_CFLAGS  := $(CFLAGS) -I. -Icommon $(if $(CUDA),-isystem $(CUDA)/include)
grader_object  = $(patsubst %,$(BUILD)/grader/%.o,$1)
JUDGE_COMMON  := $(call grader_object,$(addprefix judge/,main floor judge origin side) verdict) $(BUILD)/trace/player.o $(TRACE_OBJECTS) $(BUILD)/lab/buffers.o $(LAB_CORE)
JUDGE_VIRTUAL := $(JUDGE_COMMON) $(call grader_object,$(addprefix judge/,ahead check counts coverage doubt effort explain findings kits mattered model pass pipeline sample setup sums told)) $(BUILD)/lab/sample.o $(BUILD)/lab/verify.o
JUDGE_GPU     := $(JUDGE_COMMON) $(call grader_object,$(addprefix judge/,measure turn)) $(BUILD)/lab/device.o $(BUILD)/lab/measure.o $(filter $(BUILD)/vgpu/ptx/%,$(VGPU_OBJECTS))

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
	@echo "TIME  the kit's own steps of $*, once: up to a minute"
	$(Q)$< --tell-kits --lab $(@D)/lab.so --stage 1 --seed 1 --gpu h200 --stdout --trace $(@D)/baseline.trace --fatbin $(@D)/baseline.fatbin \
	    --baseline-trace $(@D)/baseline.trace --baseline-fatbin $(@D)/baseline.fatbin > $@.part 2> $@.log || : > $@.part
	$(Q)mv $@.part $@

-include grader/tests/judge.mk
