# Traces: build/trace/*.o. Whoever records links TRACE_OBJECTS, recorder.o and the virtual GPU; whoever replays links
# TRACE_OBJECTS, player.o and either back end.

TRACE         := common/trace
TRACE_OBJECTS := $(addprefix $(BUILD)/trace/,trace.o check.o file.o)
TRACE_CFLAGS  := $(CFLAGS) -Icommon $(if $(CUDA),-isystem $(CUDA)/include)

$(BUILD)/trace/%.o: $(TRACE)/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) $(CPPFLAGS) -c $< -o $@

# ---- tests ----

TRACE_TESTS := $(TRACE)/tests
TRACE_OUT   := $(RESULTS)/trace
SUITES      += trace

$(TRACE_OUT)/test_trace: $(TRACE_TESTS)/test_trace.c $(TRACE_OBJECTS)
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) $(CPPFLAGS) -MF $@.d $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# Damaged files are read a second time where a wrong access cannot hide.
$(TRACE_OUT)/test_trace_asan: $(TRACE_TESTS)/test_trace.c $(TRACE_OBJECTS:$(BUILD)/trace/%.o=$(TRACE)/%.c)
	@echo "CC    $< (sanitized)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) $(ASAN_MODE) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-trace
test-trace: $(TRACE_OUT)/test_trace $(TRACE_OUT)/test_trace_asan
	@CK_FORK=no $(SUITE) trace sh $(VGPU_TESTS)/run_unit.sh $^
