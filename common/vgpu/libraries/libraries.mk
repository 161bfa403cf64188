# cuBLAS with cuBLASLt, and cuRAND's host API, for the virtual GPU. build/vgpucc links them where a program names the toolkit's.
# Each needs the toolkit's headers of that library, which a small installation lacks: then it is left out.

LIBRARIES    := $(VGPU)/libraries
BLAS_OBJECTS := $(if $(wildcard $(CUDA)/include/cublas_v2.h),$(patsubst $(VGPU)/%.cu,$(BUILD)/vgpu/%.o,$(wildcard \
                $(LIBRARIES)/blas*.cu)))
RAND_OBJECTS := $(if $(wildcard $(CUDA)/include/curand_kernel.h),$(patsubst $(VGPU)/%.cu,$(BUILD)/vgpu/%.o,$(wildcard \
                $(LIBRARIES)/random*.cu)))
BLAS_STUBS   := -v type=cublasStatus_t -v status=15 -v library=cuBLAS
RAND_STUBS   := -v type=curandStatus_t -v status=103 -v library=cuRAND
BLAS_HEADERS := $(addprefix $(CUDA)/include/,cublas_api.h cublasLt.h cublasXt.h)
RAND_HEADERS := $(CUDA)/include/curand.h

vgpu: $(if $(BLAS_OBJECTS),$(BUILD)/libvgpu-cublas.a) $(if $(RAND_OBJECTS),$(BUILD)/libvgpu-curand.a)

# PTX for every profile, and the machine code whose registers are known. No host contracts products and sums, so that all give the
# same numbers.
$(BUILD)/vgpu/libraries/%.o: $(LIBRARIES)/%.cu | cuda-headers
	@echo "NVCC  $<"
	@mkdir -p $(@D)
	$(Q)$(CUDA)/bin/nvcc -std=c++17 -O2 --no-compress -lineinfo -Xcompiler -ffp-contract=off -DVGPU_TOOLKIT='"$(CUDA)"' $(RECORDED) -I$(VGPU) -MD -MP -MF $(@:.o=.d) -c $< -o $@

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

# One object each that shows programs the library's names only, so that ours cannot clash with theirs; groups of C++ code that both
# may have are made ours for that.
$(BUILD)/libvgpu-cublas.a: $(BLAS_OBJECTS) $(BUILD)/vgpu/libraries/blas_stubs.o
$(BUILD)/libvgpu-curand.a: $(RAND_OBJECTS) $(BUILD)/vgpu/libraries/rand_stubs.o
$(BUILD)/libvgpu-cublas.a $(BUILD)/libvgpu-curand.a: $(BUILD)/libvgpu-%.a:
	@echo "AR    $@"
	$(Q)$(LD) -r --force-group-allocation $^ -o $(BUILD)/vgpu/libraries/$*.whole.o
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='$**' $(BUILD)/vgpu/libraries/$*.whole.o
	$(Q)rm -f $@ && ar rcs $@ $(BUILD)/vgpu/libraries/$*.whole.o
