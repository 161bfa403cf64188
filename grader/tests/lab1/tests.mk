# Lab 1's reference against recorded counts.

SUITES += lab1

# The test includes counts.c.
LAB1_OBJECTS := $(addprefix $(BUILD)/labs/lab1/c/,lab1.o generators.o) $(LAB_CORE)
$(RESULTS)/lab1/test_reference: grader/tests/lab1/test_reference.c $(LAB1_OBJECTS)
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) -I. -Ilabs/lab1-pi $(CPPFLAGS) -MF $@.d $< $(LAB1_OBJECTS) $(CHECK_LIBS) $(LDLIBS) -o $@

.PHONY: test-lab1 test-lab1-long
test-lab1: $(RESULTS)/lab1/test_reference
	@$(SUITE) lab1 sh $(VGPU_TESTS)/run_unit.sh $^

test-lab1-long: $(RESULTS)/lab1/test_reference ## lab 1's exercise and its last stage at full length on the CPU, a minute
	@$< long
