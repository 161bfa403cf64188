# Traces: build/trace/*.o. Whoever records links TRACE_OBJECTS, recorder.o and the virtual GPU; whoever replays links
# TRACE_OBJECTS, player.o and either back end.

TRACE         := common/trace
TRACE_SOURCES := $(addprefix $(TRACE)/,trace.c check.c file.c seed.c texture.c)
TRACE_OBJECTS := $(TRACE_SOURCES:$(TRACE)/%.c=$(BUILD)/trace/%.o) $(BASE_OBJECTS)
TRACE_CFLAGS  := $(CFLAGS) -Icommon $(if $(CUDA),-isystem $(CUDA)/include)

$(BUILD)/trace/%.o: $(TRACE)/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACE_CFLAGS) $(CPPFLAGS) -c $< -o $@

# The recorder stands between the runtime and its caller; vgpu_caller() looks through code without line numbers.
$(BUILD)/trace/recorder.o: TRACE_CFLAGS += -g0

-include $(TRACE)/tests/tests.mk
