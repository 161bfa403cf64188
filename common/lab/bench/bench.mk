# `make bench`: every stage of every lab's solution, its time, rate and share of what the GPU can do. The tables of expected
# speedups in the handouts come from the same programs.

LAB_BENCH   := $(LAB_ROOM)/bench
BENCH_PARTS := $(addprefix $(BUILD)/lab/bench/,bench.o peak.o) $(BUILD)/lab/buffers.o
BENCH_ON    := $(if $(LAB_GPU),bench-gpu,bench)
BENCH_OUT   := $(BUILD)/labs/bench

$(BUILD)/lab/bench/%.o: LAB_CFLAGS += -g0

# $1: a lab's folder, $2: its id. Both programs have the same objects: one runs on a GPU, one on the virtual GPU.
define bench_rules
$(BUILD)/labs/$2/solution.o: solutions/$1/$2.cu | cuda-headers
	@echo "NVCC  $$<"
	@mkdir -p $$(@D)
	$$(Q)$$(NVCC_BIN) $(or $(call lab_nvflags,$1,$2),$(LAB_NVFLAGS)) -I labs/$1 -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@

BENCH_OBJECTS_$2 := $(addprefix $(BUILD)/labs/$2/,solution.o driver.o baseline-alone.o) $(LAB_CORE) $(BUILD)/lab/device.o $(BENCH_PARTS)
$(BUILD)/labs/$2/bench: $$(BENCH_OBJECTS_$2) $(BUILD)/libvgpu.a | $(VGPUCC)
	$$(Q)$(VGPUCC) -Xlinker --export-dynamic $$(BENCH_OBJECTS_$2) -ldl -o $$@

$(BUILD)/labs/$2/bench-gpu: $$(BENCH_OBJECTS_$2) $(LAB_UNTIMED) $(patsubst $(LAB_BENCH)/%.cu,$(BUILD)/lab/bench/%.o,$(wildcard $(LAB_BENCH)/$2.cu))
	$$(Q)$(NVCC_BIN) -Xlinker --export-dynamic $(LAB_WRAPS) $$^ -ldl -o $$@
endef
$(foreach folder,$(LAB_FOLDERS),$(eval $(call bench_rules,$(folder),$(call lab_id,$(folder)))))

# RECORD=handouts/h200 keeps the rows and the table, as the record that the handouts' tables take their measured column from.
.PHONY: bench
bench: $(LAB_IDS:%=$(BUILD)/labs/%/$(BENCH_ON)) ## every stage's time, rate, share of the ceiling and of CUB or cuBLAS, on this machine's GPU
	@CUDA=$(CUDA) sh $(LAB_BENCH)/bench.sh $(BUILD) $(BENCH_ON) $(BENCH_OUT) $(LAB_IDS)
	@$(if $(RECORD),cp $(BENCH_OUT)/bench.csv $(RECORD).csv && cp $(BENCH_OUT)/bench.md $(RECORD).md)
