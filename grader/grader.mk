# ./grade, and what it wants to find ready for a lab. The scout and the judges have their rules in judge.mk.

GRADE_SOURCES := main options commands manual completion platform one list history progress attempts compare reset doctor put busy saves screen watch tools grading grade labs build compiled diagnosis clues inspect stages score files report_text report_json batch batch_plan batch_slurm results results_recover class_page class_explain similar reference self gpus crew check explain explain_words hint place explain_page explain_reference recorded \
                 $(addprefix sandbox/,open run start wrap watch cgroup words)
-include grader/course/course.mk
GRADE_OBJECTS := $(addprefix $(BUILD)/grade/,$(addsuffix .o,$(GRADE_SOURCES)))
GRADE_CFLAGS  := $(CFLAGS) -I. -Icommon -DGRADE_BUILD='"$(BUILD)"' $(COURSE_CFLAGS)

grade: $(GRADE_OBJECTS) $(BUILD)/grader/verdict.o $(LAB_CORE) $(BASE_OBJECTS) $(PAGE_OBJECTS) ## the grader
	@echo "LINK  $@"
	$(Q)$(CC) $(MODE) $^ $(LDLIBS) $(COURSE_LIBS) -o $@

$(BUILD)/grade/%.o: grader/%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(GRADE_CFLAGS) $(CPPFLAGS) -c $< -o $@

# Stays with a job in its room; no library, so that it starts quickly.
KEEPER_OBJECTS := $(addprefix $(BUILD)/grade/sandbox/keeper/,main.o confine.o)
$(BUILD)/keeper: $(KEEPER_OBJECTS)
	@echo "LINK  $@"
	$(Q)$(CC) $(MODE) $^ -o $@

# nvcc's steps side by side, in the compiler's room.
COMPILER_OBJECTS := $(addprefix $(BUILD)/grade/compiler/,main.o plan.o steps.o)
$(BUILD)/compiler: $(COMPILER_OBJECTS)
	@echo "LINK  $@"
	$(Q)$(CC) $(MODE) $^ -o $@

# Newer than everything that grading the lab needs.
$(BUILD)/labs/%/ready: $(BUILD)/labs/%/lab.so $(BUILD)/labs/%/scout.o $(BUILD)/labs/%/baseline.fatbin \
                       $(BUILD)/labs/%/baseline.trace $(BUILD)/labs/%/kits $(BUILD)/judge-virtual $(if $(LAB_GPU),$(BUILD)/judge-gpu) \
                       $(SCOUT_LIBRARY) $(BUILD)/keeper $(BUILD)/compiler
	$(Q)touch $@

# Nothing else may name these, and make would take them away again.
.PRECIOUS: $(BUILD)/labs/%/scout.o $(BUILD)/labs/%/baseline-scout $(BUILD)/labs/%/kits $(BUILD)/labs/%/baseline.trace $(BUILD)/labs/%/baseline.fatbin

$(foreach id,$(LAB_IDS),$(eval grade-$(id): $(BUILD)/labs/$(id)/ready))

# What students begin with, once more, where nobody edits it: ./grade reset takes it from there. A lab's author makes it again.
.PHONY: skeletons
skeletons: ## copy the labs' files to common/lab/skeletons/, for ./grade reset
	$(Q)$(foreach folder,$(LAB_FOLDERS),mkdir -p common/lab/skeletons/$(folder) && \
	    cp labs/$(folder)/$(call lab_id,$(folder)).cu common/lab/skeletons/$(folder)/ &&) true

-include grader/kit/kit.mk
-include grader/tests/tests.mk
