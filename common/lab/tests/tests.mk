# Tests of what every lab shares: Check programs, and a real lab's program by hand, skeleton and solution.

SUITES    += lab by-hand
QUICK     += lab
LONG      += by-hand-chains
LAB_TESTS := $(patsubst $(LAB_ROOM)/tests/%.c,$(RESULTS)/lab/%,$(wildcard $(LAB_ROOM)/tests/test_*.c))

$(RESULTS)/lab/%.o: $(LAB_ROOM)/tests/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(RESULTS)/lab/test_%: $(RESULTS)/lab/test_%.o $(LAB_CORE) $(BUILD)/lab/device.o $(BUILD)/libvgpu.a | $(VGPUCC)
	$(Q)$(VGPUCC) $(NVCC_LINK) $(filter %.o,$^) $(CHECK_LIBS) -o $@

.PHONY: test-lab test-by-hand test-by-hand-chains
test-lab: $(call only,$(LAB_TESTS))
	@$(SUITE) lab sh $(VGPU_TESTS)/run_unit.sh $^
test-by-hand: $(BUILD)/lab3
	@$(SUITE) by-hand sh $(LAB_ROOM)/tests/by_hand.sh $(RESULTS)/by-hand most
test-by-hand-chains: $(BUILD)/lab3
	@$(SUITE) by-hand-chains sh $(LAB_ROOM)/tests/by_hand.sh $(RESULTS)/by-hand-chains chains
