#!/bin/sh
# new_lab.sh - a lab is data: the one that handouts/new-lab.md contains is built from that text alone, in a copy of the kit, and
# graded and checked without a change to the grader; then its author makes one mistake after the other: new_lab.sh BUILD FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { # what file
    failed=$((failed + 1))
    echo "FAIL $1"
    sed 's/^/    /' "$2"
}
expect() { # what file text
    if tr -s ' \n' '  ' <"$2" | grep -qF -- "$3"; then pass; else fail "$1: no \"$3\" in" "$2"; fi
}

# Each block of the handout goes to the file that is named in bold above it.
extract() { # handout
    awk '/^\*\*`.*`\*\*$/ { file = $0; gsub(/[*`]/, "", file); next }
         /^```/ { if (is_open) { close(file); file = ""; is_open = 0 } else if (file) { is_open = 1; printf "" >file }; next }
         is_open { print >file }' "$1"
}

rm -rf "$2"
mkdir -p "$2"
copy=$(cd "$2" && pwd)/tree
mkdir -p "$copy/build"
(cd "$root" && cp -a Makefile common grader handouts labs solutions "$copy") || exit 1
# What is built already need not be built again; the tests' own programs are not needed.
(cd "$root/$build" && find . -mindepth 1 -maxdepth 1 ! -name test ! -name asan ! -name fuzz ! -name bench -exec cp -a {} "$copy/build" \;)
cp -a "$root/grade" "$copy/grade"
cd "$copy" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir -p labs/lab99-sums solutions/lab99-sums
extract "$root/handouts/new-lab.md"
driver=labs/lab99-sums/lab99.c solution=solutions/lab99-sums/lab99.cu

# ---- the lab as it stands in the text ----

lines=$(cat labs/lab99-sums/* | wc -l) of_driver=$(wc -l <$driver)
echo "a lab of three stages: $lines lines, $of_driver of them its driver" >lines
if [ "$lines" -le 150 ] && [ "$of_driver" -le 85 ] && [ "$lines" -gt 50 ]; then pass; else fail "it is too long" lines; fi
cat lines
if command -v clang-format >/dev/null; then
    cp "$root/.clang-format" .
    if clang-format --dry-run --Werror $driver labs/lab99-sums/lab99.h >format 2>&1; then pass; else fail "its layout" format; fi
fi
./grade >list 2>&1
expect "a new lab is listed" list "lab99"
./grade lab99 --virtual >skeleton 2>&1
expect "its skeleton earns nothing" skeleton "0 of 100 points"
expect "the kit knows what to do" skeleton "Write the kernel of TODO 1 and launch it in sums_warp (handout section 2)."
./grade lab99 --virtual --solution >solution 2>&1
expect "its solution earns all points" solution "100 of 100 points"
./grade check lab99 --virtual >check 2>&1
status=$?
if [ "$status" = 0 ]; then pass; else fail "the check ends with $status" check; fi
# What the text shows is what is printed; the model's figures are the same on every machine.
figures() { sed 's/ *$//'; }
sed -n '/^\*\*What `.\/grade check/,/^```$/p' "$root/handouts/new-lab.md" | sed '1,2d;$d' | figures >shown
figures <check >printed
if diff shown printed >differences; then pass; else fail "the check prints something else than the text shows" differences; fi
make -s VIRTUAL=1 lab99 LAB_SOURCES=solutions >by_hand 2>&1 && build/lab99 >>by_hand 2>&1
[ $? = 0 ] && pass || fail "its program runs by hand" by_hand
expect "right by hand" by_hand "vector right"

# ---- what else the text says ----

sed -n '/^- Points of all rows/,/^- \*\*/p' "$root/handouts/new-lab.md" >points
expect "who changes points is told what else changes" points '`make handout-tables`'
./grade reset lab99 >early 2>&1
expect "there is nothing yet that could be put back" early 'In a lab that you write, `make skeletons` comes first.'
make -s skeletons >skeletons 2>&1 && echo '// mine' >>labs/lab99-sums/lab99.cu && ./grade reset lab99 >reset 2>&1
[ $? = 0 ] && pass || fail "make skeletons, then a reset" reset
if cmp -s labs/lab99-sums/lab99.cu common/lab/skeletons/lab99-sums/lab99.cu; then pass; else fail "the skeleton is back" reset; fi
# One mistake's test, and all of the lab, by the words of the text.
mkdir -p grader/tests/mistakes/lab99
{
    printf '%s\n' '# stage: vector' '# says: wrong' '# points: 0, on the virtual GPU'
    sed 's/x < quads; x += 32/x < quads; x += 33/' $solution | diff -u --label lab99.cu --label lab99.cu $solution -
} >grader/tests/mistakes/lab99/half.patch
for words in 'ONLY=lab99-NAME' "ONLY='lab99-%'"; do
    expect "the text says how mistakes are run" "$root/handouts/new-lab.md" "make test-mistakes $words"
    which=$(echo "$words" | sed "s/ONLY=//; s/NAME/half/; s/'//g")
    make -s test-mistakes ONLY="$which" >mistakes 2>&1
    expect "mistakes of a new lab: $which" mistakes "1 passed 0 failed"
done
cp $driver driver.kept
{
    sed '/^const struct lab lab = {/,$d' driver.kept
    sed -n '/^      static bool element(/,/^      }/s/^      //p' "$root/handouts/new-lab.md"
    sed -n '/^const struct lab lab = {/,$p' driver.kept | sed 's/.reference = LAB_ANSWER(reference)/.element = LAB_ANSWER(element)/'
} | sed '/^static void reference/,/^}/d' >$driver
./grade lab99 --virtual --solution >element 2>&1
expect "one element at a time" element "100 of 100 points"
cp driver.kept $driver

# ---- a second C file, and a stage that differs ----

cp $driver driver.kept
cp $solution solution.kept
printf '%s\n' '#include "lab/lab.h"' 'lab_recognise_fn recognise;' \
    'const char *recognise(const struct lab_run *run, int index, const void *expected)' \
    '{' '    (void)run, (void)index, (void)expected;' '    return "the second file says so";' '}' >labs/lab99-sums/words.c
sed 's/^const struct lab lab = {/extern lab_recognise_fn recognise;\n&/; s/^    .reference = .*,/&\n    .recognise = LAB_ANSWER(recognise),/' driver.kept >$driver
sed 's/x += 32/x += 33/' solution.kept >wrong.cu
./grade lab99 --virtual --file wrong.cu >second 2>&1
expect "every C file of the folder is linked" second "The second file says so."
rm labs/lab99-sums/words.c
sed 's/"vector",/&\n        .timed = LAB_CASE(1024, 4096),/' driver.kept >$driver
./grade lab99.vector --virtual --solution -v >differs 2>&1
expect "a stage has a timed case of its own" differs "input_bytes 16777216"

# ---- what authors get wrong ----

# spoil WHAT STATUS SED-OF-DRIVER SED-OF-SOLUTION TEXT: `./grade check` ends with STATUS and says TEXT.
spoil() {
    sed "$3" driver.kept >$driver
    sed "$4" solution.kept >$solution
    ./grade check lab99 --virtual >spoilt 2>&1
    status=$?
    if [ "$status" = "$2" ]; then pass; else fail "$1: the check ends with $status" spoilt; fi
    expect "$1" spoilt "$5"
}
spoil "points that do not add up" 2 's/.correct = 10/.correct = 11/' '' \
    "the table of lab99 has a flaw, so nothing is graded: the stages' points add up to 101 instead of 100"
./grade lab99 --virtual --solution >spoilt 2>&1
[ $? = 2 ] && pass || fail "a flawed table grades" spoilt
expect "a flawed table does not grade" spoilt "add up to 101 instead of 100: change correct"
spoil "an answer that scouts would hold" 2 's/LAB_ANSWER(reference)/reference/' '' "write_LAB_ANSWER_around_this_function"
spoil "an unknown counter" 1 's/LAB_VECTOR_LOADS/LAB_BOUND("vector_loads", NULL, 1, 0, "vector loads", NULL)/' '' \
    'vector: there is no counter `vector_loads`'
spoil "a bound that the step before meets" 1 's/LAB_VECTOR_LOADS, //' '' \
    "vector: its bounds hold for the kernel of warp too, the step before: they prove nothing"
expect "and an earlier step that earns points" spoilt \
    "vector: the kernel of warp, an earlier step, earns 40 of 40 points here, more than a quarter"
spoil "another step that earns points" 1 's/"vector",/&\n        .previous = "thread",/' '' \
    "warp: the kernel of vector, another step, earns 60 of 60 points here, more than a quarter"
spoil "which the table may say" 0 's/"vector",/&\n        .previous = "thread", .contains = "warp",/' '' "Nothing to mend."
spoil "a first tier that is too low" 1 's/{{2, 10}}/{{1.1, 5}, {2, 5}}/' '' "warp: the previous step comes too close to the first tier"
spoil "a bound that the solution misses" 1 's/LAB_LOADS_ONCE(1.1)}/LAB_LOADS_ONCE(0.9)}/' '' \
    "warp: the solution misses a bound: 32-byte sectors loaded per sector of input is 1"
spoil "a tier that is too high" 1 's/{{2, 10}}/{{7, 10}}/' '' "warp: the solution clears the tier too narrowly. A tier from 1.1"
spoil "a tier that is too low" 1 's/{{2, 10}}/{{1.1, 10}}/' '' "warp: the previous step comes too close to the first tier. A tier from"
spoil "a tier that cannot be" 1 's/LAB_CALLS(sums_vector),/&\n        .speed = {{7, 5}},/; s/.points = {.correct = 10,/.points = {.correct = 5,/' '' \
    "vector: the solution clears the tier too narrowly. No tier leaves 15 % on both sides"
spoil "a solution that is not right" 1 '' 's/x < quads; x += 32/x < quads; x += 33/' "vector: the solution is not right with"
spoil "a solution that is not clean" 1 '' 's/^    float sum = 0;/    __shared__ volatile int seen[8]; seen[threadIdx.y] = 1; seen[(threadIdx.y + 1) % 8];\n&/' \
    "the solution is not clean:"
spoil "the same again, mended" 0 '' '' "Nothing to mend."
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
