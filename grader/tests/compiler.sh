#!/bin/sh
# compiler.sh - nvcc's steps side by side make and say what nvcc does: compiler.sh COMPILER NVCC FOLDER
# Texts that compile, with and without warnings, and one for each step that can fail; and nvccs whose plan is not known.
compiler=$(realpath "$1") nvcc=$2 folder=$3
kit=$(cd "$(dirname "$0")/../.." && pwd)
passed=0 failed=0
pass() { passed=$((passed + 1)); echo "pass $1"; }
fail() { failed=$((failed + 1)); echo "FAIL $1: $2"; }
rm -rf "$folder"
mkdir -p "$folder/tmp" && cd "$folder" || exit 2
export TMPDIR=$folder/tmp

compile() { # folder program...: status, words and object of the text in text.cu
    into=$1
    shift
    mkdir -p "$into"
    cp text.cu "$into/"
    (cd "$into" && "$@" --no-compress -lineinfo -g -gencode 'arch=compute_75,code=[compute_75,sm_90]' -Xcompiler -fPIC \
        -c text.cu -o text.o -D_GLIBCXX_BITS_SPECFUN_H >said 2>&1
    echo $? >status)
}
# Sums that stand in names of what is local to the file; names of temporary files; the assembler's line numbers.
tidy() {
    sed 's/[0-9a-f]\{8\}_7_text_cu_[0-9a-f]\{8\}/NAME/g; s|/[^ ]*/\([^/ ]*[.]ptx\)|\1|; s|/[^ ]*/cc[^ ]*[.]s|S|;
        s/tmpxft_[0-9a-f]*_/tmpxft_/; s/by-nvcc\|by-steps/BY/'
}
symbols() { nm "$1" | cut -c 18- | tidy | sort; }
bytes() { objcopy -O binary --only-section="$2" "$1" section && cksum <section; }
ptx() { # until bytes come that are no text
    objcopy -O binary --only-section=.nv_fatbin "$1" section &&
        LC_ALL=C awk '/^[.]version/ { is_on = 1 } is_on && /[^ -~\t]/ { exit } is_on' section | tidy
}
machine_code() { # a sum for each kernel
    objcopy -O binary --only-section=.nv_fatbin "$1" section
    at=$(LC_ALL=C grep -abo "$(printf '\177ELF')" section | head -n 1)
    tail -c "+$((${at%%:*} + 1))" section >cubin
    for part in $(readelf -SW cubin 2>/dev/null | grep -o ' [.]text[.][^ ]*'); do
        objcopy -I elf64-little --dump-section "$part=code" cubin copy 2>/dev/null && echo "$part $(cksum <code)"
    done | tidy | sort
}

same_object() { # name
    if [ ! -e by-nvcc/text.o ]; then [ ! -e by-steps/text.o ]; return; fi
    [ "$(symbols by-nvcc/text.o)" = "$(symbols by-steps/text.o)" ] &&
        [ "$(bytes by-nvcc/text.o .text)" = "$(bytes by-steps/text.o .text)" ] &&
        [ "$(ptx by-nvcc/text.o)" = "$(ptx by-steps/text.o)" ] &&
        [ -n "$(ptx by-nvcc/text.o)" ] &&
        [ "$(machine_code by-nvcc/text.o)" = "$(machine_code by-steps/text.o)" ]
}

check() { # name expected-status words: the text is on stdin
    cat >text.cu
    rm -rf by-nvcc by-steps
    compile by-nvcc "$nvcc"
    compile by-steps "$compiler" "$nvcc"
    if [ "$(cat by-nvcc/status)" != "$2" ] || { [ -n "$3" ] && ! grep -q "$3" by-nvcc/said; }; then
        fail "$1" "nvcc itself ends with $(cat by-nvcc/status): $(head -n 3 by-nvcc/said)"
    elif ! cmp -s by-nvcc/status by-steps/status; then fail "$1" "status $(cat by-steps/status): $(head -n 3 by-steps/said)"
    elif [ "$(tidy <by-nvcc/said)" != "$(tidy <by-steps/said)" ]; then fail "$1" "it says: $(head -n 3 by-steps/said)"
    elif ! same_object; then fail "$1" "the objects differ: $folder/by-nvcc, by-steps"
    elif [ -n "$(ls tmp)" ]; then fail "$1" "this is left behind: $(ls tmp)"
    else pass "$1"; fi
}

check "a text without a flaw" 0 '' <<'END'
__global__ void twice(float *out) { out[threadIdx.x] *= 2; }
void run(float *out) { twice<<<1, 32>>>(out); }
END
check "names that are local to the file" 0 '' <<'END'
static __device__ int seen;
static __global__ void count() { seen = 1; }
namespace { __device__ int more; __global__ void add() { more += seen; } }
void with_a_name_that_is_too_long_to_be_a_part_of_others() { count<<<1, 32>>>(); add<<<1, 1>>>(); }
END
check "many kernels, which ptxas takes side by side" 0 '' <<'END'
template <int TURNS> __global__ void turn(float *out) {
    float sum = out[threadIdx.x];
    for (int i = 0; i < TURNS; i++) sum = sum * sum + __sinf(sum) / TURNS;
    out[threadIdx.x] = sum;
}
void run(float *out) {
    turn<1><<<1, 32>>>(out); turn<7><<<1, 32>>>(out); turn<31><<<1, 32>>>(out); turn<100><<<1, 32>>>(out);
    turn<2><<<1, 32>>>(out); turn<8><<<1, 32>>>(out); turn<32><<<1, 32>>>(out); turn<1000><<<1, 32>>>(out);
}
END
[ "$(machine_code by-steps/text.o | grep -c turn)" = 8 ] && pass "eight kernels are compared" ||
    fail "eight kernels are compared" "$(machine_code by-steps/text.o)"
check "no kernel at all" 0 '' <<'END'
int run() { return 1; }
END
check "warnings of both sides" 0 'host_only.*never referenced' <<'END'
__global__ void twice(float *out) { int device_too; out[0] = 1; }
void run(float *out) { int host_only; twice<<<1, 32>>>(out); }
END
check "a header that is not there" 1 'nowhere.h' <<'END'
#include "nowhere.h"
END
check "an error in host code" 2 '"nothing" is undefined' <<'END'
__global__ void twice(float *out) { out[0] = 1; }
int broken = nothing;
END
check "an error in both: that of the host comes first" 2 '"nothing" is undefined' <<'END'
#ifdef __CUDA_ARCH__
int there = not_there;
#endif
int broken = nothing;
END
check "an error in device code alone" 1 '"not_there" is undefined' <<'END'
__global__ void twice(float *out) { int unused; out[0] = 1; }
#ifdef __CUDA_ARCH__
int there = not_there;
#endif
END
check "an error that ptxas finds" 255 'too much shared data' <<'END'
__global__ void large(float *out)
{
    __shared__ float all[20000];
    all[threadIdx.x] = out[0];
    __syncthreads();
    out[threadIdx.x] = all[threadIdx.x ^ 1];
}
END
check "an error that the assembler finds" 1 'bogus' <<'END'
asm(".bogus");
__global__ void twice(float *out) { out[0] = 1; }
END

# The steps are used, and not nvcc, where all is well; nvcc, where its plan is another one.
fake() { # name text: an nvcc that says so when it does all itself
    printf '#!/bin/sh\n%s\ncase "$*" in *--dryrun*) ;; *) echo asked >asked ;; esac\nexec "%s" "$@"\n' "$2" "$nvcc" >"$1"
    chmod +x "$1"
}
asked() { # name text wanted
    fake "$folder/fake-nvcc" "$2"
    printf '__global__ void twice(float *out) { out[threadIdx.x] *= 2; }\n' >text.cu
    rm -rf by-steps
    compile by-steps "$compiler" "$folder/fake-nvcc"
    if [ -e by-steps/asked ]; then found=nvcc; else found=steps; fi
    if [ "$found" != "$3" ]; then fail "$1" "$found did the work"
    elif [ ! -s by-steps/text.o ]; then fail "$1" "there is no object: $(head -n 3 by-steps/said)"
    else pass "$1"; fi
}
asked "a plan that is known" ':' steps
asked "a plan with a line that is not known" 'case "$*" in *--dryrun*) echo "#$ something new" >&2 ;; esac' nvcc
asked "a plan that is empty" 'case "$*" in *--dryrun*) exit 0 ;; esac' nvcc
asked "an nvcc without --dryrun" 'case "$*" in *--dryrun*) exit 1 ;; esac' nvcc
asked "a plan whose steps die" 'case "$*" in *--dryrun*) "'"$nvcc"'" "$@" 2>&1 | sed "s/cudafe++ /kill -9 \$\$; cudafe++ /" >&2; exit 0 ;; esac' nvcc
asked "a plan whose steps are not there" 'case "$*" in *--dryrun*) "'"$nvcc"'" "$@" 2>&1 | sed "s/ptxas -arch/not-there; exit 127; ptxas -arch/" >&2; exit 0 ;; esac' nvcc
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
