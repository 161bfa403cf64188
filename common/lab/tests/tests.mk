# Tests of what every lab shares: Check programs, and a real lab's program by hand, skeleton and solution.

SUITES    += lab by-hand hand-measured
QUICK     += lab
LONG      += by-hand-chains
LAB_TESTS := $(patsubst $(LAB_ROOM)/tests/%.c,$(RESULTS)/lab/%,$(wildcard $(LAB_ROOM)/tests/test_*.c))

$(RESULTS)/lab/%.o: $(LAB_ROOM)/tests/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(RESULTS)/lab/test_%: $(RESULTS)/lab/test_%.o $(LAB_CORE) $(BUILD)/lab/device.o $(BUILD)/libvgpu.a | $(VGPUCC)
	$(Q)$(VGPUCC) $(NVCC_LINK) $(filter %.o,$^) $(CHECK_LIBS) -o $@

# A program that takes the virtual GPU for a real one: what asks which it is, finds nothing.
HAND_MEASURED := $(RESULTS)/hand-measured
$(HAND_MEASURED)/buffers.o: $(BUILD)/lab/buffers.o
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym vgpu_gpu=no_vgpu_gpu $< $@

$(HAND_MEASURED)/right.o: grader/tests/honest/lab3/tiles-of-16.cu
$(HAND_MEASURED)/three_calls.o: $(LAB_ROOM)/tests/three_calls.cu grader/tests/honest/lab3/tiles-of-16.cu
$(HAND_MEASURED)/answers.o: solutions/lab2-coalescing/lab2.cu

# $1: the lab's folder, $2: its id, $3: the programs
define measured_rules
$(patsubst %,$(HAND_MEASURED)/%.o,$3): | cuda-headers
	@echo "NVCC  $$<"
	@mkdir -p $$(@D)
	$$(Q)$$(NVCC_BIN) $$(LAB_NVFLAGS) -I . -I labs/$1 -c $$< -o $$@

$(addprefix $(HAND_MEASURED)/,$3): %: %.o $(HAND_MEASURED)/buffers.o $(filter-out %/buffers.o,$(LAB_CORE) $(LAB_MAIN)) \
        $(LAB_UNTIMED) $(addprefix $(BUILD)/labs/$2/,driver.o baseline-alone.o source.o) $(BUILD)/libvgpu.a | $(VGPUCC)
	$$(Q)$$(VGPUCC) -Xlinker --export-dynamic $(LAB_WRAPS) $$(filter %.o,$$^) -ldl -o $$@
endef
$(eval $(call measured_rules,lab3-bank-conflicts,lab3,right three_calls))
$(eval $(call measured_rules,lab2-coalescing,lab2,answers))

.PHONY: test-lab test-by-hand test-by-hand-chains test-hand-measured
test-hand-measured: $(addprefix $(HAND_MEASURED)/,right three_calls answers)
	@$(SUITE) hand-measured sh $(LAB_ROOM)/tests/measured.sh $(HAND_MEASURED)
test-lab: $(call only,$(LAB_TESTS))
	@$(SUITE) lab sh $(VGPU_TESTS)/run_unit.sh $^
test-by-hand: $(BUILD)/lab3
	@$(SUITE) by-hand sh $(LAB_ROOM)/tests/by_hand.sh $(RESULTS)/by-hand most
test-by-hand-chains: $(BUILD)/lab3
	@$(SUITE) by-hand-chains sh $(LAB_ROOM)/tests/by_hand.sh $(RESULTS)/by-hand-chains chains
