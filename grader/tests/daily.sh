#!/bin/sh
# daily.sh - what students do every day, from outside: progress, history, reset, compare, doctor: daily.sh FOLDER
# Works on a copy of the kit: nobody's files and points are touched. Grades few stages, and those of lab3.
set -u
kit=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
. "$kit/grader/tests/in_copy.sh"
own=$root/labs/lab3-bank-conflicts/lab3.cu
skeleton=$root/common/lab/skeletons/lab3-bank-conflicts/lab3.cu
solution=$root/solutions/lab3-bank-conflicts/lab3.cu
results=$root/build/results
reads_json() { # what
    ! command -v python3 >/dev/null || python3 -m json.tool <"$out" >/dev/null 2>&1
    if [ $? = 0 ]; then pass "$1 as JSON"; else fail "$1" "python cannot read it" "$out"; fi
}
says_not() { # what text
    if grep -qF -- "$2" "$out"; then fail "$1" "it says \"$2\"" "$out"; else pass "$1"; fi
}

# ---- skeletons are what students begin with ----

for one in "$kit"/common/lab/skeletons/*/*.cu; do
    lab=${one#"$kit"/common/lab/skeletons/}
    cmp -s "$one" "$kit/labs/$lab" || fail "skeletons" "skeletons/$lab is not labs/$lab: make skeletons"
done
for one in "$kit"/labs/lab*/; do
    name=$(basename "$one")
    [ -e "$kit/common/lab/skeletons/$name/${name%%-*}.cu" ] || fail "skeletons" "$name has none: make skeletons"
done
pass "skeletons are those of the labs"

# ---- help ----

grade history
expect "a lab is missing" 2 "./grade history lab3"

# ---- nothing yet ----

grade
expect "before the first grading" 0 "lab3 .... -" "Next: ./grade lab0.2, add two arrays"
grade history lab3
expect "no history" 0 "lab3 has not been graded yet: ./grade lab3"

# ---- points, one stage at a time ----

grade lab3.tiled --virtual
expect "the skeleton's stage" 0 "0/30 launches nothing"
if grep -q "Next:\|of 30 points" "$out"; then fail "one stage" "it says a thing twice" "$out"; else pass "one stage is told once"; fi
grade lab3.tiled --virtual --solution
grade
expect "solutions are not the student's" 0 "lab3 .... 0/100" "tiled 0/30, padded 0/30"
cp "$solution" "$own"
grade lab3.tiled --virtual
expect "the student's stage" 0 "30/30 right" "Learned: Shared memory"
grade
expect "one stage counts" 0 "lab3 #... 30/100 bank conflicts" "tiled 30/30, padded 0/30" "swizzle 0/10 (bonus)" \
    "30 points in 1 lab" "Next: ./grade lab3.3, tile without bank conflicts: 30 points left"
if LC_ALL=C grep -q "$(printf '[\200-\377]')" "$out"; then fail "a pipe" "it is not plain ASCII" "$out"; else pass; fi
if awk 'length($0) > 80 { exit 1 }' "$out"; then pass; else fail "a pipe" "a line of more than 80 columns" "$out"; fi
COLUMNS=40 grade
if awk 'length($0) > 40 { exit 1 }' "$out"; then pass; else fail "40 columns" "a longer line" "$out"; fi
if command -v script >/dev/null; then
    terminal() { script -qec "stty cols 80; $1 '$root/grade'" /dev/null </dev/null | tr -d '\r' >"$out"; }
    terminal "env -u LC_CTYPE LC_ALL= LANG=C.UTF-8"
    full=$(printf '\342\226\210') colour=$(printf '\033\\[32m')
    if grep -q "$colour$full" "$out"; then pass "a terminal with UTF-8"; else fail "a terminal with UTF-8" "no green cell" "$out"; fi
    terminal "env LC_ALL=C NO_COLOR=1"
    if grep -q "lab3   #[.]" "$out"; then pass "a plain terminal"; else fail "a plain terminal" "no plain bar" "$out"; fi
fi
grade --json
expect "progress for machines" 0 '"lab":"lab3"' '{"id":"tiled","points":30,"max_points":30,"bonus":false}' \
    '"next_lab":"lab3","next_stage":"padded"'
reads_json "progress"
echo nonsense >>"$own"
grade lab3.tiled --virtual
expect "a file that does not compile" 1 "lab3.cu"
grade
expect "the best ever stays" 0 "lab3 #... 30/100"
lines=$(wc -l <"$results/lab3.history")
cp "$skeleton" slow.cu
grade lab3.tiled --gpu h200
grade lab3.tiled --virtual --file slow.cu
if [ "$(wc -l <"$results/lab3.history")" = "$lines" ]; then pass "other files and GPUs leave no line"; else
    fail "other files and GPUs" "they are in the history" "$results/lab3.history"
fi

# ---- history, whole and damaged ----

grade history lab3
expect "what was tried" 0 "3 attempts" "lab3.2 tiled 0/30, launches nothing virtual h200" "lab3.2 tiled 0 -> 30 (+30), 2.17x" "did not build, line $(wc -l <"$own")" "best: 30 of 100 points"
grade history lab3 --json
expect "the history for machines" 0 '"id":"tiled","points":30,"max_points":30,"bonus":false,"change":30,"speedup":2.1' '"symptom":"no-launch","line":null' \
    '"status":"failed"' '"backend":"virtual","gpu":"h200"'
reads_json "the history"
cp "$results/lab3.history" whole
for i in 1 2 3 4 5 6 7; do cat whole; done >"$results/lab3.history"
grade history lab3
expect "the last twenty" 0 "21 attempts; the last 20, -v shows all"
if [ "$(grep -c '^  20' "$out")" = 20 ]; then pass; else fail "the last twenty" "there are others" "$out"; fi
grade history lab3 -v
if [ "$(grep -c '^  20' "$out")" = 21 ]; then pass "-v shows all"; else fail "-v" "not all attempts" "$out"; fi
{
    head -n 2 whole
    printf 'rubbish \000\377\n'
    tail -n 1 whole | cut -c 1-30
} >"$results/lab3.history"
cp "$results/lab3.history" damaged
grade
expect "damaged lines" 0 "lab3.history: 2 lines, the first of them line 3, are damaged, and left out." "lab3 #... 30/100"
if cmp -s damaged "$results/lab3.history"; then pass "damaged lines stay"; else fail "damaged lines" "the file has changed"; fi
printf 'torn' >"$results/lab3.history"
grade history lab3
expect "nothing but damage" 0 "line 1 is damaged"
cp whole "$results/lab3.history"

# ---- where results lie, and where they cannot ----

WARPSTEP_RESULTS=$folder/elsewhere grade
expect "results elsewhere" 0 "lab3 .... -"
cp "$solution" "$own"
WARPSTEP_RESULTS=$folder/same
export WARPSTEP_RESULTS
cp "$skeleton" "$own" && grade lab3.tiled --virtual
cp "$solution" "$own" && grade lab3.padded --virtual && grade lab3.tiled --virtual
grade history lab3
if grep -q "the same file" "$out"; then fail "a stage not graded with this file" "it says the same file" "$out"; else pass; fi
grade lab3.tiled --virtual
grade history lab3
expect "a stage graded twice with one file" 0 "4 attempts" "lab3.2 tiled 30/30, 2.17x the same file"
grade lab7.gather --virtual
grade history lab7
expect "answers that are open" 0 "lab7.16 gather 0/5, not given yet"
unset WARPSTEP_RESULTS
WARPSTEP_RESULTS=/proc/none grade lab3.tiled --virtual
expect "results that cannot be kept" 0 "30/30 right" "could not be kept in /proc/none"

# ---- reset ----

grade reset lab3
expect "reset" 0 "labs/lab3-bank-conflicts/lab3.cu is the skeleton again." "labs/lab3-bank-conflicts/lab3.20" "is what you had."
kept=$(ls "$root"/labs/lab3-*/lab3.20*.cu)
if cmp -s "$own" "$skeleton" && cmp -s "$kept" "$solution"; then pass "both files are there"; else fail "reset" "the files are wrong" "$out"; fi
grade reset lab3
expect "reset of a skeleton" 0 "is the skeleton: there is nothing to put back"
for i in 1 2 3; do
    echo "// $i" >>"$own"
    grade reset lab3
done
if [ "$(ls "$root"/labs/lab3-*/lab3.20*.cu | wc -l)" = 4 ] && [ "$(cat "$root"/labs/lab3-*/lab3.20*.cu | grep -c '^// [123]$')" = 3 ]; then
    pass "nothing is overwritten"
else
    fail "reset" "a file was lost: $(ls "$root"/labs/lab3-*)"
fi
rm "$own"
grade reset lab3
expect "reset of a file that is gone" 0 "is the skeleton again"
rm "$root/common" # a link to the kit's
echo "// mine" >>"$own"
grade reset lab3
ln -s "$kit/common" "$root/common"
expect "reset without skeletons" 2 "cannot be read, so nothing was changed" "skeletons/lab3-bank-conflicts/lab3.cu"
if grep -q "// mine" "$own"; then pass; else fail "reset without skeletons" "the file was changed"; fi

# ---- compare ----

sed 's/padded_kernel<<</tiled_kernel<<</' "$solution" >before.cu
cp "$solution" after.cu
grade compare lab3.padded after.cu before.cu --virtual
expect "two files side by side" 0 "3 padded 30/30 7/30 270.03 us 462.96 us 3.72x 2.17x" \
    "shared load wavefronts per 128 bytes of input: A 1.0, B 32.0, goal 1.05 or less" "A: 30 of 30 points" "B: 7 of 30 points"
if awk 'length($0) > 80 { exit 1 }' "$out"; then pass; else fail "compare" "a line of more than 80 columns" "$out"; fi
echo nonsense >none.cu
grade compare lab3.tiled none.cu before.cu --virtual --json
expect "one that does not compile" 1 '"a":{"file":"none.cu","points":0' '"message":"none.cu does not compile' \
    '"b":{"points":30,"correct":true,"clean":true,"time_us":462.9'
reads_json "a comparison"
grade compare lab3 missing.cu before.cu
expect "a file that is missing" 1 "There is no file missing.cu"

# ---- doctor ----

grade doctor
expect "a machine that works" 0 "ok nvcc CUDA Toolkit" "ok compiling" "Students can work here."
if awk 'length($0) > 80 { exit 1 }' "$out"; then pass; else fail "doctor" "a line of more than 80 columns" "$out"; fi
NVCC=/none/nvcc grade doctor
expect "no nvcc" 1 "missing nvcc NVCC is set to /none/nvcc, but there is no nvcc." "-> Install the CUDA Toolkit 13.0" "Students cannot work here yet"
NVCC=/none/nvcc grade doctor --json
expect "no nvcc, for machines" 1 '"can_work":false' '"name":"nvcc","state":"missing","needed":true'
reads_json "the doctor"
NVCC=/none/nvcc grade lab3
expect "grading without nvcc" 2 "NVCC is set to /none/nvcc" '`./grade doctor`'
mkdir old
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.99"\n' >old/nvcc
chmod +x old/nvcc
NVCC=$folder/old/nvcc grade doctor
expect "an old toolkit" 1 "too old nvcc CUDA Toolkit 12.4" "missing cuRAND"
TMPDIR=/proc/none PATH=$folder grade doctor
expect "no tools at all" 1 "missing C compiler" "missing C++ compiler" "missing make"
mv "$root/build" "$root/aside"
grade doctor
expect "a kit that is not built" 0 "0 of them built" "make lab3 builds the first" "unknown sandbox"
mv "$root/aside" "$root/build"

# ---- a text that was compiled is not compiled again; any other is ----

# The copy's build/labs is a link to the kit's, which other tests use at this moment.
rm "$root/build/labs"
mkdir -p "$root/build/labs"
cp -a "$kit/build/labs/lab3" "$root/build/labs/"
kept=$root/build/labs/lab3/compiled
# compiles WHAT yes|no: what is kept is another file afterwards, or the same; the stage is right
compiles() {
    before=$(stat -c '%i %Y' "$kept" 2>/dev/null)
    grade lab3.tiled --file tried.cu --virtual
    expect "$1" 0 "30/30"
    after=$(stat -c '%i %Y' "$kept" 2>/dev/null)
    if [ "$before" = "$after" ]; then was=no; else was=yes; fi
    if [ "$was" = "$2" ] && [ "$after" ]; then pass "$1"; else fail "$1" "compiled: $was, expected: $2" "$out"; fi
}
cp "$solution" tried.cu
rm -f "$kept"
compiles "the first time" yes
compiles "the same text" no
echo "// changed" >>tried.cu
compiles "a changed text" yes
echo "// changed" >>"$root/labs/lab3-bank-conflicts/lab3.h"
compiles "a changed header" yes
truncate -s -100 "$kept"
compiles "what was kept is damaged" yes
cp "$kept" own
mkdir -p batched-files
cp tried.cu batched-files/a.cu
"$root/grade" batch lab3 batched-files --stage tiled --virtual --out batched >"$out" 2>&1
if cmp -s own "$kept" && grep -q '^a,30,' batched/results.csv; then pass "a batch keeps nothing"; else fail "a batch keeps nothing" "it did, or was not graded" "$out"; fi

# ---- make without CUDA: a sentence, and ./grade all the same ----

asked="(make)"
make -s -C "$root" CUDA= cuda-headers >"$out" 2>&1
status=$?
expect "make without CUDA" 2 "There is no nvcc: install the CUDA Toolkit 13.0" "make grade && ./grade doctor"
if make -C "$root" -n CUDA= grade >"$out" 2>&1 && ! grep -q 'There is no nvcc' "$out"; then pass "./grade needs no CUDA"; else
    fail "./grade needs no CUDA" "make wants it" "$out"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
