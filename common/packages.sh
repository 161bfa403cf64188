#!/bin/sh
# packages.sh - what grading takes on a bare Debian 12 or Ubuntu 22.04, 24.04, without a GPU and a driver: packages.sh [--list] [LAB...]
# The one list of it, for the bundle of Gradescope, the Dockerfile and the workflow of GitHub. Installs as root what is missing; with
# --list, only says it. Packages of the CUDA Toolkit come from NVIDIA's repository: no more of it than nvcc reads when it compiles a lab,
# and cuRAND for labs that include it (all, if none is named).
set -eu
cd "$(dirname "$0")/.."

# package            | what it is for
system='
ca-certificates      | NVIDIA'\''s repository, by https
wget                 | its key
make                 | builds the kit
gcc                  | the same
libc6-dev            | the same
g++                  | nvcc calls it, and it links submissions
bubblewrap           | the sandbox, where the container allows one
'
cuda='
cuda-nvcc-13-0       | nvcc, cudafe++, ptxas, fatbinary, nvlink
cuda-crt-13-0        | crt/*.h, which every CUDA file includes
libnvvm-13-0         | nvvm/bin/cicc, libdevice
cuda-cudart-dev-13-0 | cuda_runtime.h and what it includes
cuda-cccl-13-0       | nv/target, which cuda_runtime.h includes
'
curand='
libcurand-dev-13-0   | curand_kernel.h
'
names() { echo "$1" | sed -n 's/ *|.*//p' | tr '\n' ' '; }

is_list=
[ "${1:-}" != --list ] || { is_list=1; shift; }
[ $# != 0 ] || set -- ''
[ -d labs ] || cuda=$cuda$curand
for lab; do
    if grep -qs '#include <curand' labs/"$lab"*/*.cu; then cuda=$cuda$curand; break; fi
done
if [ "$is_list" ]; then
    echo "$(names "$system")$(names "$cuda")" | tr ' ' '\n' | sed '/^$/d'
    exit
fi

# What is there already is taken as it is.
export DEBIAN_FRONTEND=noninteractive
has() { command -v "$1" >/dev/null 2>&1; }
has_cuda() { has nvcc || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; }
if ! { has make && has gcc && has g++ && has_cuda; }; then
    apt-get update -q
    # shellcheck disable=SC2046
    apt-get install -y -q --no-install-recommends $(names "$system")
fi
if ! has_cuda; then
    . /etc/os-release
    case $ID$VERSION_ID in
    debian12) system=debian12 ;;
    ubuntu22.04) system=ubuntu2204 ;;
    ubuntu24.04) system=ubuntu2404 ;;
    *) echo "packages.sh: NVIDIA's packages for $PRETTY_NAME are not known here: install the CUDA Toolkit 13.0 first" >&2; exit 1 ;;
    esac
    case $(uname -m) in x86_64) machine=x86_64 ;; *) machine=sbsa ;; esac
    wget -q -O /tmp/cuda-keyring.deb "https://developer.download.nvidia.com/compute/cuda/repos/$system/$machine/cuda-keyring_1.1-1_all.deb"
    dpkg -i /tmp/cuda-keyring.deb
    rm /tmp/cuda-keyring.deb
    apt-get update -q
    # shellcheck disable=SC2046
    apt-get install -y -q --no-install-recommends $(names "$cuda")
    [ -e /usr/local/cuda ] || ln -s cuda-13.0 /usr/local/cuda
    rm -rf /var/lib/apt/lists/*
fi
has_cuda || { echo "packages.sh: there is still no nvcc" >&2; exit 1; }
