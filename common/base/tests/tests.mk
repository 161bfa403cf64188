# Tests of common/base: Check programs, one per header.

BASE_TESTS  := common/base/tests
BASE_CHECKS := $(patsubst $(BASE_TESTS)/%.c,$(RESULTS)/base/%,$(wildcard $(BASE_TESTS)/test_*.c))
SUITES      += base
QUICK       += base

$(RESULTS)/base/%: $(BASE_TESTS)/%.c $(BASE_OBJECTS)
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -Icommon $(CPPFLAGS) -MF $@.d $(filter %.c %.o,$^) $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-base
test-base: $(call only,$(BASE_CHECKS))
	@CC='$(CC)' $(SUITE) base sh $(VGPU_TESTS)/run_unit.sh $^
