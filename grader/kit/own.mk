# Your labs, with a kit that is shared: `make lab3` compiles your file and links it with what the kit has ready, for work by hand:
# build/lab3 tiled. `./grade lab3` needs nothing built. Everything made lies in build/ here; the kit is never written.

KIT     := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))
BUILD   ?= build
CC      ?= cc
Q       := $(if $(V),,@)
include $(KIT)/common/cuda.mk
include $(KIT)/build/own-settings.mk
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

# On a GPU if this machine has one; VIRTUAL=1 says otherwise.
LAB_GPU  := $(if $(filter-out 0,$(VIRTUAL)),,$(wildcard /dev/nvidia[0-9] /dev/nvidia[0-9][0-9] /dev/dxg))
LAB_LINK := $(if $(LAB_GPU),$(CUDA)/bin/nvcc $(LAB_WRAPS),$(KIT)/build/vgpucc) -Xlinker --export-dynamic
lab_id    = $(firstword $(subst -, ,$1))
LAB_IDS  := $(foreach folder,$(LAB_FOLDERS),$(call lab_id,$(folder)))
PARTS    := $(addprefix $(KIT)/build/,$(LAB_PARTS) $(if $(LAB_GPU),$(LAB_UNTIMED)))
SETTING  := $(if $(LAB_GPU),gpu,virtual) $(CUDA) $(shell cat $(KIT)/installed)

.PHONY: help labs clean nvcc force
help:
	@echo "make labN: build/labN, for work by hand, for one of"
	@echo "  $(LAB_IDS)"
	@echo "make labs: all of them"
	@echo "make clean: remove build/, but for your points and history in build/results"
labs: $(LAB_IDS)

nvcc:
ifeq ($(CUDA),)
	@echo "There is no nvcc: load the module of the CUDA Toolkit 13.0, or say where it is with CUDA_HOME=/path/to/cuda." >&2; exit 1
endif

# Holds what was chosen, so that programs are made again when that changes.
$(BUILD)/setting: force
	@mkdir -p $(@D)
	@echo '$(SETTING)' | cmp -s - $@ || echo '$(SETTING)' > $@

# $1 the lab's folder, $2 its id
define lab_rules
.PHONY: $2
$2: $(BUILD)/$2

$(BUILD)/labs/$2/$2.o: labs/$1/$2.cu $(BUILD)/setting | nvcc
	@echo "NVCC  $$<"
	@mkdir -p $$(@D)
	$$(Q)$(CUDA)/bin/nvcc $(subst compute_75,compute_$(LAB_ARCHITECTURE_$2),$(LAB_NVFLAGS)) -I $(KIT)/labs/$1 -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@

$(BUILD)/$2: $(BUILD)/labs/$2/$2.o $(BUILD)/setting
	@echo "LINK  $$@"
	$$(Q)printf 'const char lab_source[] = "%s", lab_command[] = "%s";\n' '$(CURDIR)/labs/$1/$2.cu' 'make $2$(if $(VIRTUAL), VIRTUAL=$(VIRTUAL))' | \
	    $(CC) -x c -c - -o $(BUILD)/labs/$2/source.o
	$$(Q)$(LAB_LINK) $$< $(BUILD)/labs/$2/source.o $(addprefix $(KIT)/build/labs/$2/,driver.o baseline-alone.o) $(PARTS) -ldl -o $$@
endef
$(foreach folder,$(LAB_FOLDERS),$(eval $(call lab_rules,$(folder),$(call lab_id,$(folder)))))
-include $(wildcard $(BUILD)/labs/*/*.d)

LAB_UNKNOWN := $(filter-out $(LAB_IDS) labs,$(filter lab%,$(MAKECMDGOALS)))
ifneq ($(LAB_UNKNOWN),)
$(error There is no $(LAB_UNKNOWN). The labs are: $(LAB_IDS))
endif

clean:
	$(Q)[ ! -d $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name results -exec rm -rf {} +
