#!/bin/sh
# grade.sh - the real ./grade from outside: skeletons and solutions of every lab, reports, folders of submissions, and bad
# input of every kind: grade.sh FOLDER LAB...
# Bad submissions are written for lab3's stage `tiled`. Everything runs on the virtual GPU.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# Root's submissions run as another user, who must be able to come here.
TMPDIR=$(mktemp -d /tmp/warpstep-test.XXXXXX)
export TMPDIR
chmod 755 "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
unset NVCC CUDA_HOME CUDA_PATH MAKEFLAGS MFLAGS MAKELEVEL
cd "$folder" || exit 1
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { # what why [file]
    failed=$((failed + 1))
    echo "FAIL $1: $2"
    [ -n "${3:-}" ] && sed 's/^/    /' "$3" | head -n 30
}
# The last command line's report is in $out, its exit status in $status.
out=$folder/out
grade() { "$root/grade" "$@" >"$out" 2>&1 </dev/null; status=$?; }
expect() { # what status text...
    what=$1 want=$2
    shift 2
    [ "$status" = "$want" ] || { fail "$what" "exit status $status, not $want" "$out"; return; }
    for text; do
        tr -s ' \n' '  ' <"$out" | grep -qF -- "$text" || { fail "$what" "it does not say \"$text\"" "$out"; return; }
    done
    pass
}

# ---- every lab ----

for lab; do
    grade "$lab" --virtual
    expect "$lab: the skeleton earns nothing" 0 "0 of 100 points" "Next: stage"
    grade "$lab" --virtual --solution
    expect "$lab: the solution earns all" 0 "All points."
    grade "$lab" --virtual --solution --json
    expect "$lab: the same as JSON" 0 "\"lab\":\"$lab\",\"points\":1" '"status":"graded"'
    if command -v python3 >/dev/null; then
        if python3 -m json.tool <"$out" >/dev/null 2>&1; then pass; else fail "$lab: JSON" "python cannot read it" "$out"; fi
    fi
done
grade
expect "labs are listed with what was reached" 0 "lab3 0/100"

# ---- the same grade twice, other GPUs, one stage ----

grade lab3 --virtual --solution --json
cp "$out" once
grade lab3 --virtual --solution --json
if cmp -s once "$out"; then pass; else fail "the same file" "two reports differ"; fi
grade lab3.2 --gpu p100 --solution
expect "another model" 0 "as p100" "2 tiled"
grade check lab3.padded --virtual --json
expect "check tells times and points as JSON" 0 '"lab":"lab3"' '"stage":"padded","slot":"padded","is_given":false' \
    '"stage":"padded","slot":"tiled"' '{"step":"tiled","points":{"padded":7}}' '"is_apart":true'
if command -v python3 >/dev/null; then
    if python3 -m json.tool <"$out" >/dev/null 2>&1; then pass; else fail "check as JSON" "python cannot read it" "$out"; fi
fi
grade check lab4.sequential --virtual --json
expect "check tells times also where no threshold is" 0 '"stage":"sequential","slot":"strided"'
solution=$root/solutions/lab3-bank-conflicts/lab3.cu
sed 's/tiled_kernel<<</naive_kernel<<</' "$solution" >slow.cu
grade check lab3.tiled --virtual --file slow.cu
expect "check finds a threshold that the step does not reach" 1 "NOT APART: the solution clears the tier too narrowly" \
    "No tier leaves 15 % on both sides" "the solution earns 7 of 30 points"
sed 's/tile\[TILE\]\[TILE\];/tile[TILE][TILE + 1];/' "$solution" >early.cu
grade check lab3.padded --virtual --file early.cu
expect "check finds a threshold that the step before reaches" 1 "NOT APART: the previous step comes too close to the tier" \
    "its bounds hold for the kernel of tiled too"
grade lab3.padded --virtual --file slow.cu
expect "another file is called by its name" 0 "slow.cu, on the virtual GPU" "30 of 30"
grade lab3.padded --virtual --solution -v
expect "-v shows counters and cases" 0 "shared_load_wavefronts" "right: width 33"
VGPU_GPU=t4 VGPU_CHECK=off grade lab3 --virtual --solution --json
if cmp -s once "$out"; then pass; else fail "the caller's environment" "it changes the report"; fi

# ---- bad usage ----

grade lab77 --virtual
expect "an unknown lab" 2 'no lab `lab77`' "lab3"
grade lab3.nonsense --virtual
expect "an unknown stage" 2 'no stage `nonsense`' "padded"
grade lab3 --gpu nonsense
expect "an unknown GPU" 2 'no GPU `nonsense`' "h200"
grade --nonsense
expect "an unknown option" 2 "--nonsense"
grade lab3 --file "$folder/none.cu"
expect "a missing file" 1 "no file"
grade lab3 --file "$folder"
expect "a folder as file" 1 "cannot be read"
grade --version
expect "the version" 0 "grade 0."
NVCC=/none/nvcc grade lab3
expect "a wrong NVCC" 2 "NVCC is set to /none/nvcc"
CUDA_HOME=/none grade lab3
expect "a wrong CUDA_HOME" 2 "CUDA_HOME is set to /none"
mkdir -p broken/bin
cat >broken/bin/nvcc <<'END'
#!/bin/sh
echo "<command-line>: fatal error: cuda_runtime.h: No such file or directory" >&2
exit 1
END
chmod +x broken/bin/nvcc
NVCC=$folder/broken/bin/nvcc grade lab3
expect "an nvcc without headers" 2 "does not find its own headers" "no grade"

# ---- bad submissions ----

submission() { # kernel host top: writes bad.cu
    cat >bad.cu <<END
#include "lab3.h"
#include <cstdio>
#include <cstdlib>
#include <signal.h>
#include <unistd.h>
$3
__global__ void kernel(float *out, const float *in, int width, int height)
{
    $1
}
void transpose_tiled(float *out, const float *in, int width, int height)
{
    $2
    kernel<<<1, 32>>>(out, in, width, height);
}
END
}
bad() { # what status kernel host top text...
    what=$1 want=$2
    submission "$3" "$4" "$5"
    shift 5
    grade lab3.tiled --virtual --file bad.cu
    expect "$what" "$want" "$@"
}
forever='for (volatile int i = 0; i < 1; ) ;'
bad "a syntax error" 1 '' 'int x = "a"; nonsense;' '' "bad.cu does not compile" 'bad.cu(13): error' nonsense
bad "no entry point" 1 '' '' '#define transpose_tiled other' "none of the entry points" transpose_tiled
bad "an endless kernel" 0 "$forever" '' '' "endless loop" "bad.cu:9" "0 of 30"
bad "an endless host loop" 1 '' "$forever" '' "did not run" "host code of transpose_tiled()" "stopped"
bad "a host crash" 1 '' '*(volatile int *)8 = 1;' '' "crashed" "segmentation fault"
bad "an abort" 1 '' 'abort();' '' "crashed" "abort"
bad "an early exit" 1 '' 'exit(0);' '' "ended before transpose_tiled() had returned"
bad "an exit without goodbye" 1 '' '_exit(0);' '' "ended before transpose_tiled() had returned"
bad "gigabytes of output" 1 '' 'for (long i = 0; i < 1 << 26; i++) puts("much ado about nothing");' '' "printed more than"
bad "a gigabyte of a kernel's output" 0 \
    'for (int i = 0; i < 1 << 19; i++) printf("thread %d: all work and no play makes it a dull kernel\n", threadIdx.x);' \
    '' '' "prints too much" "bad.cu:9" "0 of 30"
bad "a grid that never ends" 0 '' 'kernel<<<2147483647, 1024>>>(out, in, width, height);' '' "had not ended" "0 of 30"
bad "all host memory" 1 '' \
    'for (;;) { volatile char *p = (char *)malloc(1 << 26); for (long k = 0; k < 1 << 26; k += 4096) p[k] = 1; }' \
    '' "did not run" "Host memory ran out." "Host code may use 2 GB of memory"
if grep -q "evice pointer" "$out"; then fail "all host memory" "it is taken for a device pointer" "$out"; else pass; fi
bad "a device pointer on the host" 1 '' 'out[0] = 1;' '' "bad.cu:13: device pointer used on the host" "Only kernels and copies"
bad "all device memory" 1 '' 'for (void *p; cudaMalloc(&p, 1l << 32) == cudaSuccess; ) ;' '' "Device memory ran out" "cudaFree"
bad "a bad access" 0 'out[1 << 30] = 1;' '' '' "bad.cu:9: out of bounds write" "0 of 30"
bad "a refused launch" 0 '' 'kernel<<<1, 4096>>>(out, in, width, height);' '' "too large a block" "bad.cu:13"
bad "a call that a recording cannot carry" 0 '' 'void *p; cudaMallocManaged(&p, 4);' '' "cannot be replayed" \
    "bad.cu:13: The grader cannot replay cudaMallocManaged" "do it with these"
bad "a refused call, checked" 1 '' 'CHECK(cudaMemcpy(out, in, (size_t)1 << 40, cudaMemcpyDeviceToDevice));' '#include "lab/check.h"' \
    "bad.cu:13: cudaMemcpy" "With width 1, height 1: bad.cu:13: copy outside the allocation" "the words above say which and why"
bad "another library" 1 '' 'void cublasSgemm(int); cublasSgemm(1);' '' "cublasSgemm" "no other library"
bad "a global variable" 1 '' '' 'int counter = 3;' '`counter`' "make it static"
bad "a name of CUDA's" 1 '' '' 'extern "C" int cudaNonsense(void) { return 0; }' '`cudaNonsense`' "the CUDA runtime"
bad "a constructor" 1 '' '' '__attribute__((constructor)) static void early(void) { puts("100 of 100 points"); }' early "before the program begins"
bad "another's file" 1 '' '' '#include "/etc/shadow"' "does not compile"
bad "the solution" 1 '' "FILE *f = fopen(\"$root/solutions/lab3-bank-conflicts/lab3.cu\", \"r\"); exit(f ? 7 : 8);" '' \
    "ended with status $(command -v bwrap >/dev/null && echo 8)"
bad "forty lines of errors are enough" 1 '' "$(seq -f 'nonsense%g;' 90)" '' "lines more)"
: >bad.cu
grade lab3 --virtual --file bad.cu
expect "an empty file" 1 "none of the entry points"
head -c 5000000 /dev/zero | tr '\0' ' ' >bad.cu
grade lab3 --virtual --file bad.cu
expect "a file of many megabytes" 1 "larger than 4 MB"

# ---- interrupted, and nothing left behind ----

submission '' 'sleep(60);' ''
"$root/grade" lab3.tiled --virtual --file bad.cu >"$out" 2>&1 &
pid=$!
tries=0
until [ -e "$TMPDIR"/warpstep.*/safe/scout ] || [ "$tries" = 200 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -TERM "$pid"
wait "$pid"
status=$?
expect "a signal ends it" 143
if [ -z "$(ls "$TMPDIR")" ]; then pass; else fail "temporary files" "left behind: $(ls "$TMPDIR")"; fi

if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 "$TMPDIR/closed"
    TMPDIR=$TMPDIR/closed grade lab3.tiled --virtual --solution -v
    expect "a temporary folder that is closed to others" 0 "30 of 30"
    if grep -q "as root" "$out"; then fail "a temporary folder that is closed to others" "jobs ran as root" "$out"; else pass; fi
    rmdir "$TMPDIR/closed"
fi

# ---- without bubblewrap: limits only, and the same points ----

mkdir bin
for program in /usr/local/bin/* /usr/bin/* /bin/*; do
    case $program in */bwrap) ;; *) ln -s "$program" bin/ 2>/dev/null ;; esac
done
kept=$PATH
PATH=$folder/bin
grade lab3 --virtual --solution -v
expect "without bubblewrap" 0 "bubblewrap is not installed" "All points."
submission '' 'if (fork() == 0) { setsid(); if (fork() == 0) execlp("sleep", "sleep", "4321", NULL); _exit(0); } usleep(100000);' ''
grade lab3.tiled --virtual --file bad.cu
expect "a daemon without bubblewrap" 0 "0 of 30"
alive=
for process in /proc/[0-9]*/cmdline; do
    [ "$(tr '\0' ' ' 2>/dev/null <"$process")" = "sleep 4321 " ] && alive=yes
done
if [ -n "$alive" ]; then fail "a daemon without bubblewrap" "still alive"; else pass; fi
PATH=$kept

# ---- a folder of submissions ----

mkdir -p batch/ann "batch/o'b \"q\"" batch/-dash batch/none
cp "$root"/solutions/lab3-*/lab3.cu batch/ann/
cp "$root"/labs/lab3-*/lab3.cu "batch/o'b \"q\"/"
submission '' 'abort();' ''
cp bad.cu batch/-dash/lab3.cu
echo nonsense >"batch/two
lines.cu"
ln -s "$root"/solutions/lab3-*/lab3.cu batch/link.cu
mkfifo batch/fifo.cu
grade batch lab3 batch --virtual --out results
expect "a folder is graded" 0 "7 submissions, 0 errors of the kit"
csv() { # what row
    if grep -qxF -- "$2" results/results.csv; then pass; else fail "$1" "no row $2" results/results.csv; fi
}
csv "the head" "student,points,max,bonus,tiled,padded,rows,swizzle,status,message"
csv "a solution" "ann,100,100,10,30,30,40,10,graded,"
csv "quotes" "\"o'b \"\"q\"\"\",0,100,0,0,0,0,0,graded,"
csv "a dash and a crash" "-dash,0,100,0,0,0,0,0,graded,"
csv "a folder without the file" 'none,0,100,0,,,,,failed,"lab3.cu: the file is missing, or not a plain file."'
csv "a link" "link,0,100,0,,,,,failed,lab3.cu: not a plain file."
csv "a pipe" "fifo,0,100,0,,,,,failed,lab3.cu: not a plain file."
csv "a name of two lines" '"two'
if [ -s results/ann.json ] && [ -s results/-dash.json ] && ! ls results/*.part >/dev/null 2>&1; then pass; else
    fail "a report for each" "$(ls results)"
fi
grade batch lab3 "$folder/nothing" --virtual
expect "a folder that is missing" 2 "cannot be read"
mkdir empty
grade batch lab3 empty --virtual
expect "a folder without submissions" 2 "no submission"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
