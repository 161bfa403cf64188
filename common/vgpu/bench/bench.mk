# Benchmarks: of the virtual GPU's own speed, and of its timing model against an H200.

VGPU_BENCH := $(VGPU)/bench

.PHONY: bench-vgpu
bench-vgpu: $(BUILD)/bench/bench ## thread-instructions/s of the virtual GPU; AGAINST=FOLDER: beside another kit
	@sh $(VGPU_BENCH)/bench.sh $< $(AGAINST)

$(addprefix $(BUILD)/bench/,bench lectures): $(BUILD)/bench/%: $(VGPU_BENCH)/%.cu $(BUILD)/libvgpu.a | $(VGPUCC)
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) -O3 $(RECORDED) $< -o $@

# The lectures' steps; `record.sh` runs the same program on a GPU. What is right is computed alike on every host.
STEPS := $(patsubst $(VGPU_BENCH)/steps/%.cu,$(BUILD)/bench/objects/%.o,$(wildcard $(VGPU_BENCH)/steps/*.cu))

$(STEPS): $(BUILD)/bench/objects/%.o: $(VGPU_BENCH)/steps/%.cu $(wildcard $(VGPU_BENCH)/steps/*.h $(VGPU_BENCH)/steps/*.def) | $(VGPUCC)
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(VGPUCC) -O3 -Xcompiler -ffp-contract=off $(RECORDED) -c $< -o $@

$(BUILD)/bench/steps: $(STEPS) $(BUILD)/libvgpu.a
	$(Q)$(VGPUCC) $(STEPS) -o $@

.PHONY: model-report
model-report: $(BUILD)/bench/steps checked ## times of the lectures' steps and the labs' stages by the model, beside an H200's
	@sh $(VGPU_BENCH)/report.sh $(BUILD)

LONG   += accuracy
.PHONY: test-accuracy
test-accuracy: $(BUILD)/bench/steps checked
	@$(SUITE) accuracy sh $(VGPU_BENCH)/report.sh $(BUILD) --check

# The tables that the lectures publish, beside what the profiles of those GPUs give.
.PHONY: lecture-report
lecture-report: $(BUILD)/bench/lectures ## times of the lectures' tables by the P100's and the GTX 1080's profiles
	@sh $(VGPU_BENCH)/lectures.sh $< $(VGPU_BENCH)/lectures.csv > $(BUILD)/bench/lecture-report.md
	@cp $(BUILD)/bench/lecture-report.md $(VGPU_BENCH)/lecture-report.md
	@sed -n '/^## Summary/,$$p' $(VGPU_BENCH)/lecture-report.md

LONG   += older-gpus
.PHONY: test-older-gpus
test-older-gpus: $(BUILD)/bench/lectures
	@$(SUITE) older-gpus sh $(VGPU_BENCH)/lectures.sh $< $(VGPU_BENCH)/lectures.csv --check

LONG   += bench
.PHONY: test-bench
test-bench: $(BUILD)/bench/steps
	@$(SUITE) bench sh $(VGPU_BENCH)/test.sh $<

# What limits the labs' kernels, by Nsight Compute on an H200 (h200/limits.csv, record_limits.sh) and by the virtual GPU.
LIMITED := $(patsubst %,$(BUILD)/labs/%/bench,$(filter-out lab0,$(shell ls labs | sed -n 's/^\(lab[0-9]*\)-.*/\1/p')))
.PHONY: limits
limits: $(LIMITED) ## what limits the labs' kernels, by Nsight Compute and by the virtual GPU
	@sh $(VGPU_BENCH)/limits.sh $(BUILD)

LONG   += limits
.PHONY: test-limits
test-limits: $(LIMITED)
	@$(SUITE) limits sh $(VGPU_BENCH)/limits_test.sh $(BUILD)
