# Tests of what every lab shares: Check programs, and a real lab's program by hand, skeleton and solution.

SUITES    += lab
LAB_TESTS := $(patsubst $(LAB)/tests/%.c,$(RESULTS)/lab/%,$(wildcard $(LAB)/tests/test_*.c))

$(RESULTS)/lab/%.o: $(LAB)/tests/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(RESULTS)/lab/test_%: $(RESULTS)/lab/test_%.o $(LAB_CORE) $(BUILD)/lab/device.o $(BUILD)/libvgpu.a | $(VGPUCC)
	$(Q)$(VGPUCC) $(NVCC_LINK) $(filter %.o,$^) $(CHECK_LIBS) -o $@

.PHONY: test-lab
test-lab: $(LAB_TESTS) vgpu
	@$(SUITE) lab sh $(LAB)/tests/run.sh $(RESULTS)/lab $(LAB_TESTS)
