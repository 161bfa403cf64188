# Lab 1's reference against recorded counts.

SUITES += lab1

$(RESULTS)/lab1/test_reference: grader/tests/lab1/test_reference.c labs/lab1-pi/lab1.c $(LAB_CORE)
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -I. -Ilabs/lab1-pi $(CPPFLAGS) -MF $@.d $< $(LAB_CORE) $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-lab1 test-lab1-long
test-lab1: $(RESULTS)/lab1/test_reference
	@$(SUITE) lab1 sh $(VGPU_TESTS)/run_unit.sh $^

test-lab1-long: $(RESULTS)/lab1/test_reference ## lab 1's exercise and its last stage at full length on the CPU, a minute
	@$< long
