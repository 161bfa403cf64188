# Labs: `make lab3` builds build/lab3 for working by hand, and what ./grade needs to know about the lab.
# A folder labs/labN-NAME is a lab as soon as it is there; its rules come from the template below.

LAB_ROOM    := common/lab
# In the order of their numbers.
LAB_FOLDERS := $(shell printf '%s\n' $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard labs/lab*/lab*.c))))) | sort -V)
lab_id       = $(firstword $(subst -, ,$1))
LAB_IDS     := $(foreach folder,$(LAB_FOLDERS),$(call lab_id,$(folder)))
# Where the student's file is taken from; `make lab3 LAB_SOURCES=solutions` shows what the solution does.
LAB_SOURCES ?= labs

NVCC_BIN    := $(CUDA)/bin/nvcc
# A section per function: a scout is linked without those that it does not call.
LAB_CFLAGS  := $(CFLAGS) -fPIC -ffunction-sections -fdata-sections -Icommon $(if $(CUDA),-isystem $(CUDA)/include)
# For a driver that stands beside a submission's host code: see LAB_ANSWER in lab.h.
LAB_BLIND   := -DLAB_WITHOUT_ANSWERS -Wno-unused-function -Werror=incompatible-pointer-types
# PTX for the virtual GPU and for GPUs of the future, machine code for the one that grades.
LAB_SASS    ?= sm_90
LAB_NVFLAGS := -O3 --no-compress -lineinfo -g -gencode arch=compute_75,code=[compute_75,$(LAB_SASS)] \
               -Xcompiler -fPIC -I common

# A lab whose table asks for more is compiled for that.
lab_architecture = $(or $(shell sed -n 's/^ *\.architecture = \([0-9]*\),.*/\1/p' labs/$1/$2.c),75)
lab_nvflags      = $(subst compute_75,compute_$(call lab_architecture,$1,$2),$(LAB_NVFLAGS))

# What a file asks nvcc for in a line "// nvcc: ...": see nvcc_options.h.
LAB_OPTIONS      := $(shell sed -n 's/^OPTION("\(.*\)")/\1/p' $(LAB_ROOM)/nvcc_options.def)
lab_asked         = $(shell sed -n 's|^// nvcc:||p' $1 | head -n 1)
lab_options       = $(if $(filter-out $(LAB_OPTIONS),$(lab_asked)),$(error $1: nvcc option not taken from a file: $(filter-out \
                    $(LAB_OPTIONS),$(lab_asked)). Those that are: -std=c++20 --extended-lambda --expt-relaxed-constexpr))$(lab_asked)

# ---- where programs run: on a GPU if this machine has one; VIRTUAL=1 says otherwise ----

LAB_GPU     := $(if $(filter-out 0,$(VIRTUAL)),,$(wildcard /dev/nvidia[0-9] /dev/nvidia[0-9][0-9] /dev/dxg))
LAB_BACKEND := $(if $(LAB_GPU),gpu,virtual)
LAB_LINK    := $(if $(LAB_GPU),$(NVCC_BIN),$(VGPUCC)) -Xlinker --export-dynamic
LAB_RUNTIME := $(if $(LAB_GPU),,$(BUILD)/libvgpu.a $(VGPUCC))

# What was said on the command line of make.
LAB_CHOICE  := $(if $(filter-out labs,$(LAB_SOURCES)), LAB_SOURCES=$(LAB_SOURCES))$(if $(filter-out 0,$(VIRTUAL)), VIRTUAL=1)
LAB_SETTING := $(LAB_BACKEND) $(LAB_SOURCES) $(LAB_SASS)$(if $(filter-out 0,$(VIRTUAL)), VIRTUAL=1)
# Holds what was chosen, so that programs are made again when that changes.
$(BUILD)/labs/setting: lab-force
	@mkdir -p $(@D)
	@echo '$(LAB_SETTING)' | cmp -s - $@ || echo '$(LAB_SETTING)' > $@
.PHONY: lab-force
lab-force:

# ---- what all labs share ----

# lab.so and the programs have these in common; the rest is for programs only.
LAB_HAND := $(addprefix $(BUILD)/lab/,main.o hand_check.o hand_time.o hand_words.o buffers.o measure.o sample.o sweep.o untimed.o verify.o)
LAB_CORE := $(filter-out $(LAB_HAND),$(patsubst $(LAB_ROOM)/%.c,$(BUILD)/lab/%.o,$(wildcard $(LAB_ROOM)/*.c)))
# Calls that are not timed on a GPU are led to untimed.c.
LAB_UNTIMED := $(BUILD)/lab/untimed.o
LAB_WRAPS   := $(shell awk -F '[^A-Za-z]' '/^UNTIMED/ { print "-Xlinker --wrap=" $$2 }' $(LAB_ROOM)/untimed.c)
LAB_MAIN := $(filter-out $(LAB_UNTIMED),$(LAB_HAND)) $(BUILD)/lab/device.o $(addprefix $(BUILD)/base/,wrap.o list.o json.o stats.o utf8.o)

# What is in lab.so needs no CUDA: ./grade, which has it too, is there before the toolkit is, for ./grade doctor.
$(LAB_HAND): | cuda-headers
$(BUILD)/lab/%.o: $(LAB_ROOM)/%.c
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(BUILD)/lab/%.o: $(LAB_ROOM)/%.cu | cuda-headers
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(NVCC_BIN) $(LAB_NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# Without line numbers: what is said of a buffer would else name the line of ours that allocated it.
$(LAB_HAND): LAB_CFLAGS += -g0

# ---- one lab: $1 its folder's name, $2 its id ----

define lab_rules
.PHONY: $2 grade-$2
$2: $(BUILD)/$2 grade-$2 $(LAB_NEEDS)

# All that ./grade $2 opens.
grade-$2: $(addprefix $(BUILD)/labs/$2/,lab.so driver.o baseline.o baseline.fatbin $(LAB_TRACE))

# Every C file of the folder, as one object: lab.so and build/$2 link it.
$(BUILD)/labs/$2/c/%.o: labs/$1/%.c | cuda-headers
	@echo "CC    $$<"
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LAB_CFLAGS) $$(CPPFLAGS) -c $$< -o $$@

$(BUILD)/labs/$2/driver.o: $(patsubst labs/$1/%.c,$(BUILD)/labs/$2/c/%.o,$(wildcard labs/$1/*.c))
	$$(Q)$$(LD) -r $$(filter %.o,$$^) -o $$@

# The same without answers, for scouts.
$(BUILD)/labs/$2/blind/%.o: labs/$1/%.c | cuda-headers
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LAB_CFLAGS) $$(LAB_BLIND) $$(CPPFLAGS) -c $$< -o $$@

$(BUILD)/labs/$2/blind.o: $(patsubst labs/$1/%.c,$(BUILD)/labs/$2/blind/%.o,$(wildcard labs/$1/*.c))
	$$(Q)$$(LD) -r $$(filter %.o,$$^) -o $$@

$(BUILD)/labs/$2/$2.o: $(LAB_SOURCES)/$1/$2.cu $(BUILD)/labs/setting | cuda-headers
	@echo "NVCC  $$<"
	@mkdir -p $$(@D)
	$$(Q)$$(NVCC_BIN) $(call lab_nvflags,$1,$2) $$(call lab_options,$$<) -I labs/$1 -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@

# A student's kit has the kernels compiled, and the rest as source (pack.sh): the object of the one gets the code of the other.
LAB_COMPILED_$2 := $(wildcard labs/$1/baseline.ptx)
$(BUILD)/labs/$2/baseline.o: labs/$1/baseline.cu $$(LAB_COMPILED_$2) | cuda-headers
	@echo "NVCC  $$<"
	@mkdir -p $$(@D)
	$$(Q)$$(NVCC_BIN) $$(LAB_NVFLAGS) -I labs/$1 -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
	$$(if $$(LAB_COMPILED_$2),$$(Q)$$(NVCC_BIN) $$(LAB_NVFLAGS) -fatbin $$(LAB_COMPILED_$2) -o $$@.fatbin && \
	    $$(OBJCOPY) --update-section .nv_fatbin=$$@.fatbin $$@ && rm $$@.fatbin)

# So that build/$2 can tell when it is older than the student's file, and what makes it again.
$(BUILD)/labs/$2/source.o: $(BUILD)/labs/setting
	@mkdir -p $$(@D)
	$$(Q)printf 'const char lab_source[] = "%s", lab_command[] = "%s";\n' '$(abspath $(LAB_SOURCES))/$1/$2.cu' \
	    'make $2$(LAB_CHOICE)' | $$(CC) -x c -c - -o $$@

# What --references measures on a GPU beside the stages: the library's call that `make bench` has for the lab.
LAB_LIBRARY_$2 := $(if $(and $(LAB_GPU),$(wildcard labs/$1/references.c)),$(patsubst %.cu,$(BUILD)/lab/bench/%.o,$(notdir $(wildcard $(LAB_ROOM)/bench/$2.cu))))
$(BUILD)/$2: $(BUILD)/labs/$2/$2.o $(BUILD)/labs/$2/driver.o $(BUILD)/labs/$2/baseline-alone.o $(BUILD)/labs/$2/source.o \
             $(LAB_CORE) $(LAB_MAIN) $(if $(LAB_GPU),$(LAB_UNTIMED)) $$(LAB_LIBRARY_$2) $(BUILD)/labs/setting $(LAB_RUNTIME)
	@echo "LINK  $$@ ($(LAB_BACKEND))"
	$$(Q)$$(LAB_LINK) $(if $(LAB_GPU),$$(LAB_WRAPS)) $$(filter %.o,$$^) -ldl -o $$@
endef

# The driver as data for the grader. The student's entry points stay undefined in it: they are weak.
$(BUILD)/labs/%/lab.so: $(BUILD)/labs/%/driver.o $(LAB_CORE)
	$(Q)$(CC) -shared -Wl,-Bsymbolic $^ -lm -o $@

# A student's kernels may have the names of the baseline's: of its names, only entry points are left to see.
$(BUILD)/labs/%/baseline-alone.o: $(BUILD)/labs/%/baseline.o
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='baseline_*' $< $@

$(BUILD)/labs/%/baseline.fatbin: $(BUILD)/labs/%/baseline.o
	$(Q)$(OBJCOPY) -O binary --only-section=.nv_fatbin $< $@

# The grader's own rules come later in the root Makefile.
LAB_TRACE := $(if $(wildcard grader/grader.mk),baseline.trace)
LAB_NEEDS := $(if $(wildcard grader/grader.mk),grade)
$(foreach folder,$(LAB_FOLDERS),$(eval $(call lab_rules,$(folder),$(call lab_id,$(folder)))))

LAB_UNKNOWN := $(filter-out $(LAB_IDS) labs lab-force,$(filter lab%,$(MAKECMDGOALS)))
ifneq ($(LAB_UNKNOWN),)
$(error There is no $(LAB_UNKNOWN). The labs are: $(LAB_IDS))
endif

.PHONY: labs
labs: $(LAB_IDS) ## every lab's program and what ./grade needs

-include $(LAB_ROOM)/bench/bench.mk
-include $(LAB_ROOM)/tests/tests.mk
