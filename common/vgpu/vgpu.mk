# The virtual GPU: the library, the compiler driver, its tests and its benchmark.

VGPU         := common/vgpu
VGPU_TESTS   := $(VGPU)/tests
VGPU_ROOMS   := ptx core exec memory check runtime
VGPU_SOURCES := $(foreach room,$(VGPU_ROOMS),$(wildcard $(VGPU)/$(room)/*.c))
VGPU_GPUS    := $(wildcard $(VGPU)/gpus/*.gpu)
VGPU_EMBED   := $(wildcard $(VGPU)/gpus/embed.sh)
VGPU_OBJECTS := $(VGPU_SOURCES:$(VGPU)/%.c=$(BUILD)/vgpu/%.o) $(if $(VGPU_EMBED),$(BUILD)/vgpu/gpus.o)
VGPU_CFLAGS  := $(CFLAGS) -I$(VGPU) -I$(BUILD)/vgpu $(if $(CUDA),-isystem $(CUDA)/include)

.PHONY: vgpu
vgpu: $(BUILD)/libvgpu.a $(if $(wildcard $(VGPU)/vgpucc/*.c),$(BUILD)/vgpucc) ## build/libvgpu.a and build/vgpucc: CUDA programs without a GPU

$(BUILD)/libvgpu.a: $(VGPU_OBJECTS)
	@echo "AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/vgpu/%.o: $(VGPU)/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(BUILD)/vgpu/gpus.c: $(VGPU_EMBED) $(VGPU_GPUS)
	@mkdir -p $(@D)
	$(Q)sh $(VGPU_EMBED) $(sort $(VGPU_GPUS)) > $@

$(BUILD)/vgpu/gpus.o: $(BUILD)/vgpu/gpus.c
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(BUILD)/vgpucc: $(wildcard $(VGPU)/vgpucc/*.c)
	@echo "CC    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -MF $(BUILD)/vgpucc.d $^ -o $@

.PHONY: cuda-headers
cuda-headers:
	@test -n '$(CUDA)' || { echo "No CUDA Toolkit found: install CUDA 13.0 (nvcc), or set CUDA_HOME." >&2; exit 1; }

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
