# cuBLAS with cuBLASLt, and cuRAND's host API, for the virtual GPU. build/vgpucc links them where a program names the toolkit's.

LIBRARIES    := $(VGPU)/libraries
BLAS_OBJECTS := $(patsubst $(VGPU)/%.cu,$(BUILD)/vgpu/%.o,$(wildcard $(LIBRARIES)/blas*.cu))
RAND_OBJECTS := $(BUILD)/vgpu/libraries/random.o
BLAS_STUBS   := -v type=cublasStatus_t -v status=15 -v library=cuBLAS
RAND_STUBS   := -v type=curandStatus_t -v status=103 -v library=cuRAND
BLAS_HEADERS := $(addprefix $(CUDA)/include/,cublas_api.h cublasLt.h cublasXt.h)
RAND_HEADERS := $(CUDA)/include/curand.h

vgpu: $(BUILD)/libvgpu-cublas.a $(BUILD)/libvgpu-curand.a

# PTX for every profile, and the machine code whose registers are known.
$(BUILD)/vgpu/libraries/%.o: $(LIBRARIES)/%.cu | cuda-headers
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(CUDA)/bin/nvcc -std=c++17 -O2 --no-compress -lineinfo $(RECORDED) -I$(VGPU) -MD -MP -MF $(@:.o=.d) -c $< -o $@

# What the headers declare and the objects lack.
define stubs
$(BUILD)/vgpu/libraries/$1_stubs.c: $(LIBRARIES)/stubs.awk $2
	$$(Q)nm -g --defined-only $2 | awk 'NF == 3 { print $$$$3 }' > $$@.names
	$$(Q)awk -f $$< $3 $$@.names $4 > $$@
$(BUILD)/vgpu/libraries/$1_stubs.o: $(BUILD)/vgpu/libraries/$1_stubs.c
	$$(Q)$$(CC) -O1 -c $$< -o $$@
endef
$(eval $(call stubs,blas,$(BLAS_OBJECTS),$(BLAS_STUBS),$(BLAS_HEADERS)))
$(eval $(call stubs,rand,$(RAND_OBJECTS),$(RAND_STUBS),$(RAND_HEADERS)))

$(BUILD)/libvgpu-cublas.a: $(BLAS_OBJECTS) $(BUILD)/vgpu/libraries/blas_stubs.o
$(BUILD)/libvgpu-curand.a: $(RAND_OBJECTS) $(BUILD)/vgpu/libraries/rand_stubs.o
$(BUILD)/libvgpu-cublas.a $(BUILD)/libvgpu-curand.a:
	@echo "AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^
