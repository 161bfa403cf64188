# Where the CUDA Toolkit is: in the environment's words, on PATH, or where its packages go. Empty: nowhere.
CUDA     ?= $(patsubst %/bin/nvcc,%,$(firstword $(wildcard $(NVCC) $(CUDA_HOME)/bin/nvcc $(CUDA_PATH)/bin/nvcc \
              $(shell command -v nvcc 2>/dev/null) /usr/local/cuda/bin/nvcc)))
