# What students get: no solutions, no tests, and of the baselines' device code only what nvcc makes of it, for the architecture of
# LAB_NVFLAGS and without the numbers of lines, in the version of PTX that the oldest toolkit reads for which the kit is. In build/kit.
KIT_PTX   := 9.0
KIT_NEEDS := $(LAB_IDS:%=$(BUILD)/labs/%/baseline.ptx) $(BUILD)/kit/shown
# Says what files show of the solutions.
$(BUILD)/kit/shown: grader/kit/shown.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(GRADE_CFLAGS) $(CPPFLAGS) -MF $@.d $< -o $@

define kit_rules
$(BUILD)/labs/$2/baseline.ptx: labs/$1/baseline.cu $(wildcard labs/$1/*.h) | cuda-headers
	@mkdir -p $$(@D)
	$$(Q)$$(NVCC_BIN) -O3 -arch=compute_75 -I common -I labs/$1 -ptx $$< -o $$@.new
	$$(Q)sed 's/^\.version .*/.version $(KIT_PTX)/' $$@.new > $$@ && rm $$@.new
endef
$(foreach folder,$(LAB_FOLDERS),$(eval $(call kit_rules,$(folder),$(call lab_id,$(folder)))))

.PHONY: student-kit
student-kit: $(KIT_NEEDS) ## what students get, without solutions and tests: build/kit/warpstep.tar.gz
	@sh grader/kit/pack.sh '$(BUILD)' $(BUILD)/kit

# A right choice as a stage's driver holds it: common/lab/answer.h.
.PHONY: digest
digest: ## the digest of a right choice: OF='LAB STAGE QUESTION CHOICE', questions from 0
	@mkdir -p $(BUILD)/kit && $(CC) -I common grader/kit/digest.c -o $(BUILD)/kit/digest && $(BUILD)/kit/digest '$(OF)'

# ---- one kit for many: in PREFIX, read-only for students, who work in folders of their own ----

PREFIX  ?= /usr/local
DESTDIR ?=
# What their Makefile links by hand with each lab; own.mk, which is that Makefile, reads it.
OWN_PARTS  := $(patsubst $(BUILD)/%,%,$(LAB_CORE) $(LAB_MAIN))
OWN_NEEDS  := grade $(LAB_IDS:%=$(BUILD)/labs/%/ready) $(LAB_IDS:%=$(BUILD)/labs/%/baseline-alone.o) $(LAB_CORE) $(LAB_MAIN) $(LAB_UNTIMED) \
              $(BUILD)/judge-gpu vgpu $(KIT_NEEDS)
define OWN_SETTINGS
LAB_FOLDERS := $(LAB_FOLDERS)
LAB_PARTS   := $(OWN_PARTS)
LAB_UNTIMED := $(patsubst $(BUILD)/%,%,$(LAB_UNTIMED))
LAB_WRAPS   := $(LAB_WRAPS)
LAB_NVFLAGS := $(subst -I common,-I $$(KIT)/common,$(LAB_NVFLAGS))
$(foreach folder,$(LAB_FOLDERS),LAB_ARCHITECTURE_$(call lab_id,$(folder)) := $(call lab_architecture,$(folder),$(call lab_id,$(folder)))
)
endef
# $(file) writes when the recipe is read, before any line of it runs: the folder must be made then, too.
$(BUILD)/kit/own-settings.mk: lab-force
	$(Q)$(shell mkdir -p $(@D))$(file > $@,$(OWN_SETTINGS))true

.PHONY: install uninstall
install: $(OWN_NEEDS) $(BUILD)/kit/own-settings.mk ## install the kit for many users: PREFIX=/opt/warpstep [DESTDIR=]
	@sh grader/kit/install.sh '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'
uninstall: ## remove what `make install` has put below PREFIX
	@sh grader/kit/install.sh --remove '$(DESTDIR)' '$(PREFIX)'

# ---- where a course platform grades ----

.PHONY: gradescope
gradescope: $(KIT_NEEDS) ## an autograder for Gradescope: build/gradescope/lab3.zip; LAB=lab3
	@sh grader/kit/gradescope/pack.sh '$(BUILD)' $(BUILD)/gradescope '$(LAB)'
