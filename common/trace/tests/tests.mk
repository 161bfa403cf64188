# Tests of recordings. Variables are those of trace.mk.

TRACE_TESTS := $(TRACE)/tests
TRACE_OUT   := $(RESULTS)/trace
SUITES      += trace
QUICK       += trace

$(TRACE_OUT)/%.o: $(TRACE_TESTS)/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(TRACE_OUT)/test_trace $(TRACE_OUT)/test_seed: $(TRACE_OUT)/test_%: $(TRACE_OUT)/test_%.o $(TRACE_OBJECTS)
	$(Q)$(CC) $(TRACE_CFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# Damaged files are read a second time where a wrong access cannot hide.
$(TRACE_OUT)/test_trace_asan: $(TRACE_TESTS)/test_trace.c $(TRACE_SOURCES) $(wildcard $(BASE)/*.c)
	@echo "CC    $< (sanitized)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) $(ASAN_MODE) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# A submission: recorded by one program, replayed by another that has only its device code.
$(TRACE_OUT)/replay.o: $(TRACE_TESTS)/replay.cu $(TRACE_TESTS)/replay.h | cuda-headers
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(CUDA)/bin/nvcc -O3 --no-compress -lineinfo -g -Xcompiler -fno-optimize-sibling-calls -gencode 'arch=compute_75,code=[compute_75,sm_90]' -c $< -o $@

$(TRACE_OUT)/replay.fatbin: $(TRACE_OUT)/replay.o
	$(Q)$(OBJCOPY) -O binary --only-section=.nv_fatbin --set-section-flags .nv_fatbin=alloc,readonly $< $@

$(TRACE_OUT)/record: $(TRACE_OUT)/record.o $(TRACE_OUT)/replay.o $(BUILD)/trace/recorder.o $(TRACE_OBJECTS) \
                     $(BUILD)/libvgpu.a
	$(Q)$(CC) $(TRACE_CFLAGS) $^ -lstdc++ $(LDLIBS) -o $@

$(TRACE_OUT)/replay.trace: $(TRACE_OUT)/record
	$(Q)$< $@

$(TRACE_OUT)/test_replay: $(TRACE_OUT)/test_replay.o $(BUILD)/trace/player.o $(TRACE_OBJECTS) $(BUILD)/libvgpu.a
	$(Q)$(CC) $(TRACE_CFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-trace
test-trace: $(call only,$(addprefix $(TRACE_OUT)/,test_trace test_trace_asan test_seed test_replay)) | $(TRACE_OUT)/replay.trace \
            $(TRACE_OUT)/replay.fatbin
	@CK_FORK=no $(SUITE) trace sh $(VGPU_TESTS)/run_unit.sh $^

# The same recording on the GPU of this machine, through NVIDIA's runtime.
$(TRACE_OUT)/test_replay_gpu: $(TRACE_OUT)/test_replay.o $(BUILD)/trace/player.o $(TRACE_OBJECTS)
	$(Q)$(CC) $(TRACE_CFLAGS) $^ $(CHECK_LIBS) -L$(CUDA)/lib64 -lcudart_static -lrt $(LDLIBS) -o $@

.PHONY: test-trace-gpu
test-trace-gpu: $(TRACE_OUT)/test_replay_gpu | $(TRACE_OUT)/replay.trace $(TRACE_OUT)/replay.fatbin ## replays a recording on the GPU of this machine
	@$(SUITE) trace-gpu sh $(VGPU_TESTS)/run_unit.sh $^

# ---- hostile traces: see `make fuzz` ----

FUZZ_TARGETS += trace
fuzz-targets: $(FUZZ)/fuzz_trace
$(FUZZ)/fuzz_trace: $(TRACE_TESTS)/fuzz_trace.c $(BUILD)/trace/player.o $(TRACE_OBJECTS) $(BUILD)/libvgpu.a
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -o $@
