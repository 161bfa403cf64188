#!/bin/sh
# grade.sh - the real ./grade from outside, its commands and options: the same grade twice, other GPUs, wrong usage,
# interruption, no bubblewrap, folders of submissions: grade.sh FOLDER
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"

# ---- the same grade twice, other GPUs, one stage ----

grade lab3 --virtual --solution --json
cp "$out" once
grade lab3 --virtual --solution --json
if cmp -s once "$out"; then pass; else fail "the same file" "two reports differ"; fi
grade lab3.2 --gpu p100 --solution
expect "another model" 0 "as p100" "2 tiled"
solution=$root/solutions/lab3-bank-conflicts/lab3.cu
grade lab3.padded --gpu t4 --solution
expect "thresholds that another GPU does not reach take no points" 0 "30/30" "as an h200 (needed 2.65x)" "As an h200: 270.03 us, 46 % of a copy" "On the t4 it is 1." \
    "the clock of an h200 decides"
grade lab3.padded --gpu a100 --solution
expect "thresholds that are apart on another GPU" 0 "30/30" "x (needed 2.65x)"
if grep -q "decides" "$out"; then fail "thresholds that are apart on another GPU" "its own clock decides" "$out"; else pass; fi
sed 's/padded_kernel<<</tiled_kernel<<</' "$solution" >before.cu
grade lab3.padded --gpu t4 --file before.cu --json
expect "and give none to the step before" 0 '"points":7,"max_points":30' '"decided_on":"h200"' '"speedup_here":1.'
grade check lab3.padded --gpu t4
expect "check tells which are not apart on another GPU" 0 "NOT APART" "padded: not apart on the t4" "Nothing to mend"
grade check lab3.padded --virtual --json
expect "check tells times and points as JSON" 0 '"lab":"lab3"' '"stage":"padded","slot":"padded","is_given":false' \
    '"stage":"padded","slot":"tiled"' '{"step":"tiled","points":{"padded":7}}' '"is_apart":true'
if command -v python3 >/dev/null; then
    if python3 -m json.tool <"$out" >/dev/null 2>&1; then pass; else fail "check as JSON" "python cannot read it" "$out"; fi
fi
grade check lab4.sequential --virtual --json
expect "check tells times also where no threshold is" 0 '"stage":"sequential","slot":"strided"'
sed 's/tiled_kernel<<</naive_kernel<<</' "$solution" >slow.cu
grade check lab3.tiled --virtual --file slow.cu
expect "check finds a threshold that the step does not reach" 1 "NOT APART: the solution clears the tier too narrowly" \
    "No tier leaves 15 % on both sides" "the solution earns 7 of 30 points"
sed 's/tile\[TILE\]\[TILE\];/tile[TILE][TILE + 1];/' "$solution" >early.cu
grade check lab3.padded --virtual --file early.cu
expect "check finds a threshold that the step before reaches" 1 "NOT APART: the previous step comes too close to the first tier" \
    "its bounds hold for the kernel of tiled too"
grade lab3.padded --virtual --file slow.cu
expect "another file is called by its name" 0 "slow.cu, on the virtual GPU" " 30/30"
grade lab3.padded --virtual --solution -v
expect "-v shows counters and cases" 0 "shared_load_wavefronts" "right: width 33"
expect "-v shows goals that are reached" 0 "shared load wavefronts per 128 bytes of input: now 1.0, goal 1.05 or less"
expect "a time has its share and its base" 0 " us, 46 % of a copy; baseline naive"
grade lab6.ilp --virtual --solution
expect "work without memory has no share of a copy" 0 " us; baseline one_chain"
if grep -q "of a copy" "$out"; then fail "a share of a copy" "work without memory has one" "$out"; else pass; fi
grade lab3 --virtual --solution
expect "the gain over the stage before is told" 0 "; baseline naive, 1.71x over stage 2"
# Without the bound it has so many registers that fewer warps fit on an SM.
sed 's/__launch_bounds__(SIDE \* HALF, 4) transposed_kernel/transposed_kernel/' "$root/solutions/lab5-matrix-product/lab5.cu" >slower.cu
grade lab5 --stage two_results,transposed --virtual --file slower.cu
expect "a step that is slower than the one before is told so" 0 "transposed 6/6" "Slower than stage 6 (two_results), 0.8"
grade lab3 --virtual --solution
if awk 'length($0) > 80 { exit 1 }' "$out"; then pass; else fail "a pipe" "a line of more than 80 columns" "$out"; fi

# ---- what nvcc warns of, and what a wrong case is run with ----

sed 's/^    int column = /    int unused_name;\n&/' "$solution" >warned.cu
grade lab3.tiled --virtual --file warned.cu
expect "warnings are shown with the report" 0 " 30/30" "The compiler warns:" \
    'warned.cu:21: warning: variable "unused_name" was declared but never referenced [#177-D]'
if grep -q "can be suppressed" "$out"; then fail "warnings" "how to silence them is told" "$out"; else pass; fi
grade lab3.tiled --virtual --file warned.cu --json
expect "warnings are told to machines" 0 '"warnings":"warned.cu(21): warning'
sed 's/if (column < width \&\& row < height)/if (column + 1 < width \&\& row < height)/' "$solution" >edge.cu
grade lab3.tiled --virtual --file edge.cu
expect "a wrong case comes with its command" 0 "0/30" "By hand: build/lab3 tiled --case " " --seed "
grade lab3.tiled --virtual --file edge.cu --json
expect "also for machines" 0 '"by_hand":"build/lab3 tiled --case 3 --seed '

# ---- terminals ----

if command -v script >/dev/null; then
    for columns in 80 120; do
        script -qec "stty cols $columns; '$root/grade' lab3.tiled --virtual --file warned.cu 2>/dev/null" /dev/null </dev/null | tr -d '\r' >"$out"
        sed "s/$(printf '\033')\[[0-9;]*m//g" "$out" >plain
        if grep -q "$(printf '\033')\[1m" "$out"; then pass; else fail "a terminal of $columns columns" "no colours" "$out"; fi
        if awk -v most=$columns 'length($0) > (most > 100 ? 100 : most) && !/^ *int unused_name/ { exit 1 }' plain; then pass; else
            fail "a terminal of $columns columns" "a longer line" plain
        fi
    done
fi
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
until [ -e "$TMPDIR"/warpstep.*/safe.*/scout ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
kill -TERM "$pid"
wait "$pid"
status=$?
expect "a signal ends it" 143
if [ -z "$(ls "$TMPDIR")" ]; then pass; else fail "temporary files" "left behind: $(ls "$TMPDIR")"; fi

# ---- the judge sees what it is asked about, and nothing else ----

find_judge() { # pid of a judge of this test's, if one is at work
    for process in /proc/[0-9]*; do
        case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in "$TMPDIR"/warpstep.*/kit/judge-virtual*) echo "${process#/proc/}" ;; esac
    done | head -n 1
}
if command -v bwrap >/dev/null; then
    submission 'for (volatile int i = 0; i < 1 << 23; i++) ;' '' '' # so long that it is still at work when it is looked at
    "$root/grade" lab3.tiled --virtual --file bad.cu >"$out" 2>&1 &
    pid=$! judge=
    until [ -n "$judge" ] || ! kill -0 "$pid" 2>/dev/null; do judge=$(find_judge); done
    inside=/proc/$judge/root
    seen=$([ -z "$judge" ] || for path in "$root/solutions" /etc/passwd /root "$TMPDIR"/warpstep.*/safe.*/submission.o; do
        [ ! -e "$inside$path" ] || echo "$path"
    done)
    user=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$judge/status")
    if [ -z "$judge" ]; then fail "a judge in the sandbox" "no judge was seen at work" "$out"
    elif [ ! -e "$inside/usr/bin/env" ] || [ -n "$seen" ]; then fail "a judge in the sandbox" "it sees $seen"
    elif [ "$user" = 0 ]; then fail "a judge in the sandbox" "it runs as root"
    else pass; fi
    kill -TERM "$pid"
    wait "$pid"
fi

if [ "$(id -u)" = 0 ]; then
    mkdir -m 700 "$TMPDIR/closed"
    TMPDIR=$TMPDIR/closed grade lab3.tiled --virtual --solution -v
    expect "a temporary folder that is closed to others" 0 " 30/30"
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
expect "without bubblewrap" 0 "sandbox: landlock (no bubblewrap)" "100 of 100 points"
# Nobody else on this machine sleeps for so long.
nap=$(($$ + 1000000))
submission '' "if (fork() == 0) { setsid(); if (fork() == 0) execlp(\"sleep\", \"sleep\", \"$nap\", NULL); _exit(0); } usleep(100000);" ''
grade lab3.tiled --virtual --file bad.cu
expect "a daemon without bubblewrap" 0 " 0/30"
alive=
for process in /proc/[0-9]*/cmdline; do
    [ "$(tr '\0' ' ' 2>/dev/null <"$process")" = "sleep $nap " ] && alive=yes
done
if [ -n "$alive" ]; then fail "a daemon without bubblewrap" "still alive"; else pass; fi
PATH=$kept

# ---- a folder of submissions ----

mkdir -p batch/ann "batch/o'b \"q\"" batch/-dash batch/none batch/.hidden batch/wrong batch/results "batch/=1+1"
cp "$solution" batch/ann/
cp "$root"/labs/lab3-*/lab3.cu "batch/o'b \"q\"/"
submission '' 'abort();' ''
cp bad.cu batch/-dash/lab3.cu
cp bad.cu batch/.hidden/lab3.cu
cp bad.cu batch/results/lab3.cu
cp bad.cu "batch/=1+1/lab3.cu"
touch batch/wrong/Lab3.cu batch/wrong/notes.txt batch/dora.zip batch/eve.txt
echo nonsense >"batch/two
lines.cu"
echo nonsense >"$(printf 'batch/bad\377\302\233name.cu')"
ln -s "$solution" batch/link.cu
mkdir batch/inner
ln -s "$solution" batch/inner/lab3.cu
ln -s ann batch/folder-link
mkfifo batch/fifo.cu
sandbox=$(sed -n 's/.*"sandbox":"\([^"]*\)".*/\1/p' once)
grade batch lab3 batch --stage tiled --virtual --out results
expect "a folder is graded" 0 "16 submissions, 0 errors of the kit"
if LC_ALL=C grep -q "$(printf '[\200-\237]')" "$out"; then fail "a terminal" "bytes of control reach it" "$out"; else pass; fi
csv() { # what row
    if grep -qF -- "$2,$sandbox," results/results.csv; then pass; else fail "$1" "no row $2,$sandbox," results/results.csv; fi
}
if [ "$(wc -l <results/results.csv)" = 17 ]; then pass; else fail "every name has a row" "not 16 rows" results/results.csv; fi
if grep -qxF "student,points,max,bonus,tiled,padded,rows,swizzle,status,message,sandbox,name,email,section,submitted,late,override,note,source,uncounted" results/results.csv; then pass; else
    fail "the head" "it is another" results/results.csv
fi
csv "a solution" "ann,30,100,0,30,,,,graded,"
csv "quotes" "\"o'b \"\"q\"\"\",0,100,0,0,,,,graded,"
csv "a dash and a crash" "'-dash,0,100,0,0,,,,crashed,\"Stage tiled: The host code of transpose_tiled() crashed: it gave up (abort: a failed assert, an exception that nobody caught, or memory freed twice).\""
csv "a formula" "'=1+1,0,100,0,0,,,,crashed,\"Stage tiled: The host code of transpose_tiled() crashed: it gave up (abort: a failed assert, an exception that nobody caught, or memory freed twice).\""
csv "a hidden folder" ".hidden,0,100,0,0,,,,crashed,\"Stage tiled: The host code of transpose_tiled() crashed: it gave up (abort: a failed assert, an exception that nobody caught, or memory freed twice).\""
csv "a student called results" "results,0,100,0,0,,,,crashed,\"Stage tiled: The host code of transpose_tiled() crashed: it gave up (abort: a failed assert, an exception that nobody caught, or memory freed twice).\""
csv "a folder without the file" 'none,0,100,0,,,,,refused,lab3.cu: there is no lab3.cu in the folder: it is empty.'
if grep -q '^wrong,0,.*,refused,.*lab3.cu is empty.*,Lab3.cu was taken for lab3.cu,wrong,$' results/results.csv; then pass; else
    fail "a file of another name" "it was not taken" results/results.csv
fi
csv "an archive" 'dora,0,100,0,,,,,refused,"lab3.cu: damaged, or no archive that can be read: Unrecognized archive format."'
csv "another file" 'eve.txt,0,100,0,,,,,refused,"lab3.cu: neither a folder nor a file NAME.cu, nor an archive."'
csv "a link" 'link,0,100,0,,,,,refused,"lab3.cu: a link, and links are not followed."'
csv "a link to a folder" 'folder-link,0,100,0,,,,,refused,"lab3.cu: a link, and links are not followed."'
csv "a link in a folder" 'inner,0,100,0,,,,,refused,"lab3.cu: lab3.cu is a link, and links are not followed."'
csv "a pipe" "fifo,0,100,0,,,,,refused,lab3.cu: a pipe."
for name in 'two\x0alines' 'bad\xff\xc2\x9bname'; do
    if grep -qF "$name,0,100,0," results/results.csv; then pass; else fail "an odd name" "no row $name" results/results.csv; fi
done
if iconv -f UTF-8 -t UTF-8 results/results.csv >/dev/null; then pass; else fail "results.csv" "no UTF-8" results/results.csv; fi
if [ -s results/ann.json ] && [ -s results/-dash.json ] && ! ls results/*.part results/unfinished >/dev/null 2>&1; then pass; else
    fail "a report for each" "$(ls results)"
fi

# ---- a batch that is broken off goes on; rows of another folder stay, those of files that are gone do not ----

mkdir some
for name in a b c; do { cat "$solution"; echo "// $name"; } >"some/$name.cu"; done
"$root/grade" batch lab3 some --stage tiled --virtual >"$out" 2>&1 </dev/null &
pid=$!
until grep -q '^[abc],30,' some/results/results.csv 2>/dev/null || ! kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
rm -rf "$TMPDIR"/warpstep.*
grade batch lab3 some --stage tiled --virtual
expect "a batch goes on where it stopped" 0 "unchanged since they were graded" "3 submissions, 0 errors"
if [ "$(grep -c '^[abc],30,' some/results/results.csv)" = 3 ]; then pass; else fail "a batch goes on" "rows are missing" some/results/results.csv; fi
rm some/a.cu
cp bad.cu some/b.cu
grade batch lab3 some --stage tiled --virtual
expect "a second batch" 0 "2 submissions, 0 errors"
if ! grep -q '^a,' some/results/results.csv && grep -q '^b,0,' some/results/results.csv &&
    [ "$(wc -l <some/results/results.csv)" = 3 ]; then pass; else fail "a second batch" "rows are wrong" some/results/results.csv; fi
mkdir further
cp bad.cu further/d.cu
grade batch lab3 further --stage tiled --virtual --out some/results
expect "another folder into the same results" 0 "1 submission, 0 errors"
if [ "$(grep -c '^[bcd],' some/results/results.csv)" = 3 ]; then pass; else fail "another folder" "rows are missing" some/results/results.csv; fi
(
    flock 9
    grade batch lab3 some --virtual
    echo "$status" >locked
) 9>>some/results/lock
status=$(cat locked)
expect "two batches on one folder" 2 "another batch writes them"
mkdir linked elsewhere
cp bad.cu linked/a.cu
ln -s ../elsewhere linked/results
grade batch lab3 linked --stage tiled --virtual
expect "results do not go through a link" 0 "linked/warpstep-results/results.csv"
if [ -z "$(ls elsewhere)" ]; then pass; else fail "results do not go through a link" "they did"; fi

# ---- without isolation a batch refuses ----

cat >without.c <<'END'
/* Runs a program on a kernel that has no Landlock. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {4, steps};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 3;
    execv(argv[1], argv + 1);
    return 3;
}
END
cc without.c -o without
PATH=$folder/bin ./without "$root/grade" batch lab3 some --stage tiled --virtual >"$out" 2>&1
status=$?
expect "a batch without isolation" 2 "Nothing here keeps submissions" "--no-sandbox"
PATH=$folder/bin ./without "$root/grade" batch lab3 some --stage tiled --virtual --no-sandbox >"$out" 2>&1
status=$?
expect "a batch that does without" 0 "2 submissions, 0 errors"
if grep -q 'limits only (no bubblewrap, no landlock)' some/results/results.csv; then pass; else
    fail "a batch that does without" "its rows do not say so" some/results/results.csv
fi
grade batch lab3 "$folder/nothing" --virtual
expect "a folder that is missing" 2 "cannot be read"
mkdir empty
grade batch lab3 empty --virtual
expect "a folder without submissions" 2 "no submission"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
