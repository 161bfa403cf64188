# The virtual GPU: the library and the compiler driver. Its tests are in tests/tests.mk.

VGPU         := common/vgpu
VGPU_ROOMS   := ptx memory alu core decode exec report check feeds model profile runtime
VGPU_SOURCES := $(foreach room,$(VGPU_ROOMS),$(wildcard $(VGPU)/$(room)/*.c))
VGPU_GPUS    := $(sort $(wildcard $(VGPU)/gpus/*.gpu))
VGPU_OBJECTS := $(VGPU_SOURCES:$(VGPU)/%.c=$(BUILD)/vgpu/%.o) $(BUILD)/vgpu/gpus.o $(BASE_OBJECTS) $(PAGE_OBJECTS)
# Nobody asks for floating-point exceptions: without this, half of the rows would not become vector code.
VGPU_CFLAGS  := $(CFLAGS) -fno-trapping-math -fno-math-errno -I$(VGPU) -Icommon $(if $(CUDA),-isystem $(CUDA)/include)
VGPUCC       := $(BUILD)/vgpucc
# The code whose times and counters were recorded on a GPU, in bench/h200 and in tests/counters.
RECORDED     := -gencode 'arch=compute_75,code=[compute_75,sm_90]'
OBJCOPY      ?= objcopy

.PHONY: vgpu
vgpu: $(BUILD)/libvgpu.a $(BUILD)/vgpu-link/libcudart_static.a $(if $(wildcard $(VGPU)/vgpucc/vgpucc.c),$(VGPUCC)) ## build/libvgpu.a and build/vgpucc: CUDA programs without a GPU

# An empty archive: nvcc links relocatable device code only if it may link a libcudart as well.
$(BUILD)/vgpu-link/libcudart_static.a:
	@mkdir -p $(@D)
	$(Q)ar rcs $@

# For tests that look inside. Files of different folders may have the same name: "q" keeps them all.
$(BUILD)/libvgpu-inside.a: $(VGPU_OBJECTS)
	$(Q)rm -f $@ && ar qcs $@ $^

# What programs link: one object that shows them CUDA's names and vgpu_*, so that ours cannot clash with theirs.
VGPU_PUBLIC := cuda* __cuda* vgpu_* clock clock_gettime gettimeofday timespec_get
$(BUILD)/libvgpu.a: $(VGPU_OBJECTS)
	@echo "AR    $@"
	$(Q)$(LD) -r $^ -o $(BUILD)/vgpu/whole.o
	$(Q)$(OBJCOPY) --wildcard $(VGPU_PUBLIC:%=--keep-global-symbol='%') $(BUILD)/vgpu/whole.o
	$(Q)rm -f $@ && ar rcs $@ $(BUILD)/vgpu/whole.o

$(BUILD)/vgpu/%.o: $(VGPU)/%.c | cuda-headers
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -c $< -o $@

# The profiles travel inside the library.
$(BUILD)/vgpu/gpus.c: $(VGPU)/gpus/embed.sh $(VGPU_GPUS)
	@mkdir -p $(@D)
	$(Q)sh $< $(VGPU_GPUS) > $@

$(BUILD)/vgpu/gpus.o: $(BUILD)/vgpu/gpus.c
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -c $< -o $@

$(VGPUCC): $(VGPU)/vgpucc/vgpucc.c $(BASE_OBJECTS) $(BUILD)/vgpu/core/gpu.o $(BUILD)/vgpu/gpus.o \
           | $(BUILD)/vgpu-link/libcudart_static.a
	@echo "CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(VGPU_CFLAGS) $(CPPFLAGS) -MF $@.d $(filter %.c %.o,$^) -o $@

# Without a recipe where all is well: a job of its own, however short, would hold up all that waits for it.
.PHONY: cuda-headers
cuda-headers:
ifeq ($(CUDA),)
	@echo "There is no nvcc: install the CUDA Toolkit 13.0, or say where it is with CUDA_HOME=/path/to/cuda." >&2; \
	 echo "What else may be missing: make grade && ./grade doctor" >&2; exit 1
endif

include $(VGPU)/libraries/libraries.mk
-include $(VGPU)/tests/tests.mk
-include $(VGPU)/bench/bench.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
