#!/bin/sh
# hint.sh - ./grade hint from outside: what each level says about each kind of problem, how levels go on and come back, and that
# no solution is given away: hint.sh FOLDER
# Works on a copy of the kit. Wrong files are the solution with a typical mistake, or the skeleton with code that it has already.
set -u
kit=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
. "$kit/grader/tests/in_copy.sh"
place=labs/lab3-bank-conflicts/lab3.cu
own=$root/$place
skeleton=$kit/common/lab/skeletons/lab3-bank-conflicts/lab3.cu
solution=$kit/solutions/lab3-bank-conflicts/lab3.cu
levels=$root/build/results/lab3.hints

hint() { grade hint "$@" --virtual; }
more() { hint "$@" --more; }
says_not() { # what text...
    what=$1
    shift
    for text; do
        if grep -qF -- "$text" "$out"; then fail "$what" "it says \"$text\"" "$out"; else pass; fi
    done
}
wrong() { # mistake...: the solution with these
    cp "$solution" "$own"
    for mistake; do
        (cd "$(dirname "$own")" && patch -s -p1 --no-backup-if-mismatch lab3.cu "$kit/grader/tests/mistakes/lab3/$mistake.patch") ||
            fail "$mistake" "the patch does not apply"
    done
}
# As if that level had been told.
after() { echo "$*" >"$levels"; } # stage kind level
line_of() { grep -nF -- "$1" "$own" | head -n 1 | cut -d: -f1; }

# ---- nothing written yet: all levels, and the end ----

hint lab3.padded
expect "a skeleton" 0 "lab3.3 padded, 0 of 30 points" "Hint 1 of 3" "still to be written" "./grade hint lab3.3 --more"
says_not "a skeleton, level 1" "$place" TODO wavefronts
cp "$out" said
more lab3.3
expect "a skeleton, level 2" 0 "Hint 2 of 3" "$place:$(line_of 'TODO 2'): note: TODO 2"
cat "$out" >>said
more lab3.padded
expect "a skeleton, level 3" 0 "Hint 3 of 3" "launch it in transpose_padded" "what stage 2 (tiled) does" \
    "Goal: shared load wavefronts per 128 bytes of input: 1.05 or less" "handouts/lab3-bank-conflicts.md, section 3: No bank conflicts."
cat "$out" >>said
more lab3.3
expect "the end" 0 "no more hints" "handouts/lab3-bank-conflicts.md, section 3" "./grade explain lab3.3"
cat "$out" >>said
if [ "$(cat "$levels")" = "padded no-launch 4" ]; then pass "the level is kept"; else fail "the level" "it is $(cat "$levels")"; fi
if [ -e "$root/build/results/lab3.history" ]; then fail "a hint" "it is in the history"; else pass "a hint is no attempt"; fi

# ---- another kind of problem begins from the first; so does who does not ask for more ----

echo 'nonsense;' >>"$own"
more lab3.3
expect "a compile error" 1 "Hint 1 of 3" "could not be built" "?"
says_not "a compile error, level 1" nonsense
more lab3.3
expect "a compile error, level 2" 1 "Hint 2 of 3" "$place:$(line_of nonsense): error: this declaration has no storage class"
says_not "a compile error, level 2" "->"
hint lab3.3
expect "without --more" 1 "Hint 1 of 3"
after padded build 2
WARPSTEP_RESULTS=/proc/none more lab3.3
expect "a level that cannot be kept" 1 "Hint 1 of 3" "could not be kept in /proc/none"
more lab3.3
expect "a compile error, level 3" 1 "Hint 3 of 3" "-> " "skeletons/lab3-bank-conflicts/lab3.cu"

# ---- the skeleton's own code in another stage: right, but not the step ----

sed 's|/\* TODO 2: launch padded_kernel. \*/|transpose_naive(out, in, width, height);|' "$skeleton" >"$own"
hint lab3.3
more lab3.3
more lab3.3
cat "$out" >>said
expect "the step before" 0 "Hint 3 of 3" "->" "Limited by the L2 cache" "sectors a request" "section 3"

# ---- mistakes ----

wrong missing-barrier tile-not-padded loads-in-turn read-not-swizzled
hint lab3.tiled
expect "a race" 0 "Hint 1 of 3" "nothing says which comes first" "what makes the reader wait?"
says_not "a race, level 1" syncthreads "$place"
more lab3.tiled
expect "a race, level 2" 0 "Hint 2 of 3" "$place:51: error: race in shared memory" "By hand: build/lab3 tiled --case"
says_not "a race, level 2" "likely cause" "must stand between"
more lab3.tiled
expect "a race, level 3" 0 "Likely cause: a __syncthreads() is missing" "-> __syncthreads() must stand between" "section 2"
echo "padded concept:shared_in 1" >>"$levels"
more lab3.padded
expect "a concept that is missed" 0 "7 of 30 points" "Hint 2 of 3" "shared load wavefronts per 128 bytes of input: now 32.0, goal 1.05 or less"
says_not "a concept, level 2" "how long must" "Limited by"
if [ "$(grep -c . "$levels")" = 2 ]; then pass "a line for each stage"; else fail "levels" "not two lines" "$levels"; fi
after rows slow 1
more lab3.rows
expect "a slow kernel, level 2" 0 "39 of 40 points" "Hint 2 of 3" "speedup: now 4.51, goal 4.60 or more"
more lab3.rows
expect "a slow kernel, level 3" 0 "Limited by" "$place:$(line_of 'in[(size_t)(row + k'): note: warps spend" "section 4"
after swizzle wrong 1
more lab3.swizzle
expect "wrong values, level 2" 0 "Hint 2 of 3" "It shows with" "should be" "elements are wrong"

# ---- other labs: goals of so much or more, answers, stages that are more than their kernels, several launches ----

solution_of() { cat "$kit"/solutions/"$1"-*/"$1.cu"; } # lab
solution_of lab7 | sed '/stage 5: moved/,/stage 6/s/value = entries\[/value = table[/' >lab7.cu
hint lab7.moved --file lab7.cu
expect "a goal of so much or more" 0 "Hint 1 of 3" "What should it do more often"
hint lab7.gather --file "$kit/common/lab/skeletons/lab7-memory-spaces/lab7.cu"
expect "answers that are missing" 0 "Not all answers are given yet"
more lab7.gather --file "$kit/common/lab/skeletons/lab7-memory-spaces/lab7.cu"
expect "answers that are missing" 0 "answers 1, 2, 3, 4 and 5 are not given yet"
says_not "answers have no size and no run" "It shows with" "By hand"
solution_of lab7 | sed 's/{{FROM_L1, FROM_L2, FROM_DRAM/{{FROM_L1, FROM_L2, FROM_L1/' >lab7.cu
hint lab7.gather --file lab7.cu
expect "answers that are wrong" 0 "Not all of your answers are right"
# What a kernel prints of the numbers that stand for answers is nowhere to be read, and a page shows no values.
sed 's|^void spaces_gather|__global__ void spy(const float *sheet) { printf("SPIED %08x\\n", __float_as_int(sheet[threadIdx.x])); }\n&|
     s|give_answers(task, gather_answers, .*|& spy<<<1, 8>>>(task.sheet);|' lab7.cu >spy.cu
for option in -v --json; do
    grade lab7.gather "$option" --virtual --file spy.cu
    expect "a sheet is not printed" 0 "of 5 answers are right" "What kernels print is not shown in a stage that asks questions"
    says_not "a sheet is not printed" SPIED should
done
grade explain lab7.gather --virtual --file spy.cu --html spy.html
if grep -q '"tape":{' spy.html; then fail "a sheet on a page" "values of registers can be played" spy.html; else pass; fi
solution_of lab8 | sed '/^void run_pinned/,/^}/{/pin(host_out/d}' >lab8.cu
hint lab8.pinned --file lab8.cu
expect "a stage that is more than its kernels" 0 "Kernels take less than half of its time"
says_not "a stage that is more than its kernels" "its warps wait"
more lab8.pinned --file lab8.cu
more lab8.pinned --file lab8.cu
expect "where its time goes" 0 "Hint 3 of 3" "1 copy to the host: 67.1 MB to pageable memory"
says_not "where its time goes" "lab8.cu:42"
solution_of lab8 >lab8.cu
sed -i 's/^constexpr int CHUNKS = 16/constexpr int CHUNKS = 2/' lab8.cu
for level in 1 2 3; do more lab8.streams --file lab8.cu; done
expect "a line of a header" 0 "Hint 3 of 3" " work.h:42: note: warps spend"
solution_of lab9 >lab9.cu
hint lab9.shared --file lab9.cu
expect "several launches" 0 "One of its 8 launches takes" "us without this limit"

# ---- all points ----

cp "$solution" "$own"
more lab3.padded
expect "all points" 0 "30 of 30 points" "Learned: Shared memory has 32 banks" "Now: limited by" "not put down yet: ./grade lab3.3" \
    "Next is stage 4 (several rows per thread)" "./grade lab3.4."
if grep -q padded "$levels"; then fail "all points" "the level is still there" "$levels"; else pass "a solved stage has no level"; fi

# ---- what is refused, and what cannot be kept ----

hint lab3.1
expect "a given stage" 0 "came with the file"
hint lab3
expect "no stage" 2 '`hint` wants one stage: ./grade hint lab3.2'
hint lab3 --stage 2,3
expect "two stages" 2 "one stage"
cp "$skeleton" "$own"
printf 'tiled no-launch 99\nrubbish\n\377 \n' >"$levels"
more lab3.2
expect "damaged levels" 0 "no more hints"

# ---- no solution is given away ----

# Names that only a lab's solution has, not its skeleton, headers and handout; without words of plain English and names of CUDA.
names() { cat "$@" | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u; }
only_solved() { # lab-folder
    names "$kit/labs/$1"/*.cu "$kit/labs/$1"/*.h "$kit/handouts/$1.md" >open
    sed 's|//.*||; s|/\*.*\*/||; /\/\*/,/\*\//d' "$kit/solutions/$1/${1%%-*}.cu" >bare
    names bare | LC_ALL=C comm -23 - open | grep '[A-Z_0-9]' | grep -v '^cuda\|^__\|^make_float'
}
only_solved lab3-bank-conflicts >secret
names said | LC_ALL=C comm -12 - secret >told
if [ -s secret ] && [ ! -s told ]; then pass "no name of the solution is told"; else fail "names of the solution" "$(cat told)" said; fi
for one in "$kit"/labs/lab*/; do
    name=$(basename "$one")
    only_solved "$name" >secret
    grep -oE '"([^"\\]|\\.)*"' "$one/${name%%-*}.c" | names | LC_ALL=C comm -12 - secret >told
    if [ ! -s told ]; then pass; else fail "the words of $name" "they name what only its solution has: $(cat told)"; fi
done
pass "no lab's words name what only its solution has"

# ---- every stage that can be solved says what it taught ----

for one in "$kit"/labs/lab*/; do
    name=$(basename "$one")
    stages=$(grep -c '^ *\.todo = ' "$one/${name%%-*}.c") learned=$(grep -c '^ *\.learned =' "$one/${name%%-*}.c")
    if [ "$stages" -gt 0 ] && [ "$stages" = "$learned" ]; then pass; else fail "$name" "$learned of $stages stages say what they taught"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
