#!/bin/sh
# bad.sh - submissions that fail in every way there is, and what the real ./grade says about each: bad.sh FOLDER [CASE...]
# Each is written for lab3's stage `tiled`: `bad CASE STATUS KERNEL HOST TOP TEXT...` puts its parts into a file, grades that,
# and expects the exit status and the texts. Without a CASE, all of the table.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" = --one ]; then
    folder=$2/$3 chosen=$3
    rm -rf "$folder"
    mkdir -p "$folder"
    . "$root/grader/tests/outside.sh"
elif [ "$1" != --list ]; then
    folder=$1
    shift
    [ $# -gt 0 ] || set -- $(sh "$0" --list)
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

is_chosen() { # case
    [ -n "${chosen:-}" ] || echo "$1"
    [ "$1" = "${chosen:-}" ] && is_found=yes
}
bad() { # case status kernel host top text...
    case=$1 want=$2
    is_chosen "$1" || return
    submission "$3" "$4" "$5"
    shift 5
    grade lab3.tiled --virtual --file bad.cu
    expect "$case" "$want" "$@"
}
never() { # text: which the report of the last case must not have
    [ "${case:-}" = "${chosen:-}" ] && [ -n "${chosen:-}" ] || return
    case=
    if grep -qF -- "$1" "$out"; then fail "$chosen" "it says \"$1\"" "$out"; else pass "$chosen: it does not say $1"; fi
}
bad_blanks() { # case status text bytes: a file of so many blanks
    is_chosen "$1" || return
    head -c "$4" /dev/zero | tr '\0' ' ' >bad.cu
    grade lab3 --virtual --file bad.cu
    expect "$1" "$2" "$3"
}

forever='for (volatile int i = 0; i < 1; ) ;'
alone='__global__ void alone(float *o, const float *i, int w, int h)
{
    for (long k = 0; k < (long)w * h; k++)
        o[k % w * h + k / w] = i[k];
}'
bad a_syntax_error 1 '' 'int x = "a"; nonsense;' '' "bad.cu does not compile" 'bad.cu:13: error' nonsense
bad an_address_that_is_missing 1 'out[0] = __ldg(in[0]);' '' '' "bad.cu:9" "out[0] = __ldg(in[0]);" "-> __ldg() takes an address: __ldg(&array[i])"
never "/include/"
bad a_semicolon_that_is_missing 1 'out[0] = in[0]
    out[1] = in[1];' '' '' "bad.cu:10" "-> A ; is missing before this: look at the end of line 9."
bad no_entry_point 1 '' '' '#define transpose_tiled other' "none of the entry points" transpose_tiled
bad an_endless_kernel 0 "$forever" '' '' "endless loop" "bad.cu:9" " 0/30"
bad an_endless_loop_with_a_store 0 'for (int i = threadIdx.x; i < 32; i += width - width) out[i] = in[i];' '' '' "endless loop" "bad.cu:9" \
    "and will never stop" " 0/30"
never "budget"
bad an_endless_host_loop 1 '' "$forever" '' "did not run" "host code of transpose_tiled()" "stopped"
bad calls_without_an_end 0 '' 'for (int i = 0; i < 1; ) cudaMemsetAsync(out, 0, 4);' '' "bad.cu:13: error: The entry point makes more than" \
    "does the loop around it come to an end" "look at the loop around line 13" " 0/30"
bad a_loop_that_may_end 0 'unsigned i = 0; while (i != width + 1u) i = atomicAdd((unsigned *)out, 2u) * height;' '' '' "too many instructions in one" \
    "nothing shows that it comes to an end" "The loop of line 9 was stopped" " 0/30"
never "endless"
bad a_host_crash 1 '' '*(volatile int *)8 = 1;' '' "crashed" "segmentation fault"
bad an_abort 1 '' 'abort();' '' "crashed" "abort"
bad an_early_exit 1 '' 'exit(0);' '' "ended before transpose_tiled() had returned"
bad an_exit_without_goodbye 1 '' '_exit(0);' '' "ended before transpose_tiled() had returned"
bad gigabytes_of_output 1 '' 'for (long i = 0; i < 1 << 26; i++) puts("much ado about nothing");' '' "printed more than"
bad a_gigabyte_of_a_kernels_output 0 \
    'for (int i = 0; i < 1 << 19; i++) printf("thread %d: all work and no play makes it a dull kernel\n", threadIdx.x);' \
    '' '' "prints too much" "bad.cu:9" " 0/30"
bad a_grid_that_never_ends 0 '' 'kernel<<<2147483647, 1024>>>(out, in, width, height);' '' "endless launch" "bad.cu:10" " 0/30"
bad a_host_that_sleeps 1 '' 'sleep(1000);' '' "did not run" "host code of transpose_tiled()" "waited for 10 s"
bad all_host_memory 1 '' \
    'for (;;) { volatile char *p = (char *)malloc(1 << 26); for (long k = 0; k < 1 << 26; k += 1 << 16) p[k] = 1; }' \
    '' "did not run" "Host memory ran out." "Host code may use 2 GB of memory"
never "evice pointer"
bad all_host_memory_at_once 1 '' 'std::vector<float> all(1ul << 34); all[5] = 1;' '#include <vector>' "did not run" "std::bad_alloc" \
    "an exception that nobody caught" "Host code may use 2 GB of memory"
never "pointer that is wrong"
bad a_device_pointer_on_the_host 1 '' 'out[0] = 1;' '' "bad.cu:13: error: device pointer used on the host" "Only kernels and copies"
bad all_device_memory 1 '' 'for (void *p;;) CHECK(cudaMalloc(&p, 1l << 32));' '#include "lab/check.h"' "bad.cu:13: error: cudaMalloc" "out of memory"
bad six_gigabytes_checked 1 '' 'void *p; CHECK(cudaMalloc(&p, 6ul << 30));' '#include "lab/check.h"' "stopped by a limit of the kit" \
    "bad.cu:13: error: limit of the virtual GPU: no room for device memory: 6442450944 bytes" "use smaller arrays" \
    "this program may use 2147483648 of the host's memory in all" "a real one might go on"
never "refused"
bad six_gigabytes_unchecked 0 '' 'float *p; cudaMalloc(&p, 6ul << 30); kernel<<<1, 1>>>(p, in, width, height);' '' \
    "stopped by a limit of the kit" "bad.cu:13: error: limit of the virtual GPU: no room for device memory: 6442450944 bytes" \
    "use smaller arrays" "a real one might go on"
never "null pointer"
bad much_local_memory 0 'float own[100000]; for (int i = 0; i < 100000; i++) own[i * 7919 % 100000] = in[0]; out[0] = own[width];' \
    'kernel<<<1, 1024>>>(out, in, width, height);' '' \
    "stopped by a limit of the kit" "bad.cu:9: error: limit of the virtual GPU: too much local memory" \
    "a thread has 400000 bytes of local memory" "make them smaller" "a real one might go on"
never "tiled      0/30  wrong"
bad slow_but_right 0 '' 'alone<<<1, 1>>>(out, in, width, height);' "$alone" "7/30 right, clean, too slow" \
    "Right at smaller sizes" "one warp does what all blocks should share" "Launch enough threads for all elements"
never "endless"
bad a_bad_access 0 'out[1 << 30] = 1;' '' '' "bad.cu:9: error: out of bounds write" " 0/30"
bad a_line_that_claims_another_file 0 '
#line 77 "other.cu"
out[1 << 30] = 1;' '' '' " other.cu:77: out of bounds write" " 0/30"
never "/box"
bad a_line_that_claims_a_file_of_the_systems 0 '
#line 7 "/etc/passwd"
out[1 << 30] = 1;' '' '' "/etc/passwd:7: out of bounds write" " 0/30"
never "root:"
bad an_option_that_no_file_may_ask_for 1 '' '' '// nvcc: -std=c++20 --use_fast_math' "nvcc's option --use_fast_math is not taken from a file" "-std=c++20"
bad a_refused_launch 1 '' 'kernel<<<1, 4096>>>(out, in, width, height);' '' "too large a block" "bad.cu:13"
bad a_call_that_a_recording_cannot_carry 0 '' 'int *p; cudaMallocManaged(&p, 4), *p = 1;' '' "cannot be replayed" \
    "bad.cu:13: error: Host code writes to managed memory" "do it with these"
bad a_refused_call_that_is_checked 1 '' 'CHECK(cudaMemcpy(out, in, (size_t)1 << 40, cudaMemcpyDeviceToDevice));' \
    '#include "lab/check.h"' \
    "bad.cu:13: error: cudaMemcpy" "With width 1, height 1: bad.cu:13: error: copy outside the allocation" "Line 13: the copy is longer than the memory"
bad another_library 1 '' 'void cublasSgemm(int); cublasSgemm(1);' '' "cublasSgemm" "no other library"
bad a_variable_of_the_c_library 1 '' '' 'int opterr = 3;' '`opterr`' "the C library"
bad a_name_of_cudas 1 '' '' 'extern "C" int cudaNonsense(void) { return 0; }' '`cudaNonsense`' "the CUDA runtime"
bad a_constructor 0 '' '' '__attribute__((constructor)) static void early(void) { puts("30/30 right"); }' "0/30"
bad work_before_the_entry_point 0 '' '' 'static struct early { void *p; early() { cudaMalloc(&p, 4); } } early;' \
    "cudaMalloc is called before the entry point" "cannot be replayed"
bad anothers_file 1 '' '' '#include "/etc/shadow"' "does not compile"
bad the_solution 1 '' "FILE *f = fopen(\"$root/solutions/lab3-bank-conflicts/lab3.cu\", \"r\"); exit(f ? 7 : 8);" '' \
    "ended with status $(command -v bwrap >/dev/null && echo 8)"
bad three_errors_are_enough 1 '' "$(seq -f 'nonsense%g;' 90)" '' "(and 87 errors more"
bad_blanks an_empty_file 1 "bad.cu is empty" 0
bad_blanks a_file_of_many_megabytes 1 "larger than 4 MB" 5000000
[ -z "${chosen:-}" ] || [ -n "${is_found:-}" ] || fail "$chosen" "there is no such case"
exit 0
