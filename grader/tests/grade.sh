#!/bin/sh
# grade.sh - the real ./grade from outside, its commands and options: the same grade twice, other GPUs, wrong usage,
# interruption, no bubblewrap, folders of submissions: grade.sh FOLDER
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"

grade lab3 --virtual
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

# ---- interrupted, and nothing left behind ----

submission '' 'sleep(60);' ''
"$root/grade" lab3.tiled --virtual --file bad.cu >"$out" 2>&1 &
pid=$!
until [ -e "$TMPDIR"/warpstep.*/safe/scout ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
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
# Nobody else on this machine sleeps for so long.
nap=$(($$ + 1000000))
submission '' "if (fork() == 0) { setsid(); if (fork() == 0) execlp(\"sleep\", \"sleep\", \"$nap\", NULL); _exit(0); } usleep(100000);" ''
grade lab3.tiled --virtual --file bad.cu
expect "a daemon without bubblewrap" 0 "0 of 30"
alive=
for process in /proc/[0-9]*/cmdline; do
    [ "$(tr '\0' ' ' 2>/dev/null <"$process")" = "sleep $nap " ] && alive=yes
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
