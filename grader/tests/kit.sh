#!/bin/sh
# kit.sh - what students get: kit.sh FOLDER BUILD SHOWN [LAB...]
# No file of it shows a solution, and its texts name nothing that it lacks. With labs: unpacked from the archive it is built and grades
# by itself, from nothing, as an ordinary user: every lab's skeleton and solution, against baselines that take what the kit's own do.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$2" && pwd) shown=$3
folder=$1
shift 3
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
unset WARPSTEP_RESULTS
asked=
none() { # what found
    if [ -z "$2" ]; then pass "$1"; else fail "$1" "$(printf '%s\n' "$2" | head -n 5)"; fi
}
some() { # what found
    if [ -n "$2" ]; then pass "$1"; else fail "$1" "it was not found"; fi
}
if sh "$root/grader/kit/pack.sh" "$build" "$folder" >"$out" 2>&1; then pass "it is packed"; else fail "it is packed" "status $?" "$out"; fi
kit=$folder/warpstep
# Whoever packs it, with whatever umask: readable, owned by nobody in particular, and programs can be started.
(cd "$root" && umask 077 && sh grader/kit/pack.sh "$build" "$folder/again") >"$out" 2>&1
none "modes in the archive" "$(tar -tvzf "$folder/again/warpstep.tar.gz" | awk '{ print $1, $2 }' | sort -u | grep -vxE 'drwxr-xr-x 0/0|-rw-r--r-- 0/0|-rwxr-xr-x 0/0')"
if cmp -s "$folder/warpstep.tar.gz" "$folder/again/warpstep.tar.gz"; then pass "the archive does not depend on who packs it"; else fail "the archive" "it is another"; fi
rm -r "$folder/again"

# ---- nothing in it is a solution ----

show() { find "$@" -type f ! -name '*.ptx' ! -name '*.png' | "$shown" "$root"; }
none "no file shows a solution" "$(show "$kit" 2>&1 >"$out" | grep -v '^[1-9][0-9]* functions and values of'; cat "$out")"
bodies=$(cat "$kit"/labs/*/baseline.cu | tr -s ' \n' '  ' | grep -oE '__(global|device)__[^;{]*\{ *[^ }].{0,40}')
none "the baselines' kernels have no bodies" "$bodies"
none "nor comments" "$(grep -nE '/\*|//' "$kit"/labs/*/baseline.cu)"
kernels() { cat "$@" | grep -oE '__global__ void( __launch_bounds__\([^)]*\))? [a-z_0-9]+' | sort; }
none "and are all there" "$(kernels "$root"/labs/*/baseline.cu >whole; kernels "$kit"/labs/*/baseline.cu | diff whole -)"
none "their code names no lines" "$(grep -lE '^[[:space:]]*\.(loc|file)[[:space:]]' "$kit"/labs/*/baseline.ptx)"
# The search itself: a kernel, whatever its names, its layout and what is said between; a launch; answers.
mkdir planted
hide() { sed -E 's/\<(tile|column|row|out|in|width|height|value|t|s|TILE)\>/\1_of_ours/g; s/;/; \/* and then *\/\n/g'; }
sed -n '/^__global__ void padded_kernel/,/^}/p' "$root/solutions/lab3-bank-conflicts/lab3.cu" | hide >planted/lab.c
some "a kernel with other names would be found" "$(show planted 2>/dev/null | grep padded_kernel)"
{
    echo 'How it is done:'
    sed -n '/^__global__ void tree_shared/,/^}/p' "$root/solutions/lab4-reduction/lab4.cu" | hide | sed 's/^/    /'
} >planted/lab.md
some "and one in a text" "$(show planted 2>/dev/null | grep 'lab.md.*tree_shared')"
grep -hE '^static const struct answers' "$root"/solutions/*/*.cu | sed 's/.*{{/static const int right[] = {/; s/}}/}/' >planted/right.h
some "and answers of lab 6" "$(show planted 2>/dev/null | grep 'right.h.*roofline_answers')"
some "and answers of lab 7" "$(show planted 2>/dev/null | grep 'right.h.*gather_answers')"
for name in solutions grader/tests .git .ci handouts/instructor.md handouts/answers.md; do
    if [ -e "$kit/$name" ]; then fail "what stays with instructors" "$name is there"; else pass "no $name"; fi
done
told() { awk -f "$root/grader/tests/answers.awk" "$root/handouts/answers.md" "$@"; }
none "no text prints what a stage asks for" "$(told "$kit"/handouts/*.md)"
cp "$root/handouts/answers.md" planted/answers.txt
some "one that does would be found" "$(told planted/answers.txt | grep "the figures of")"
some "and a call with its argument" "$(told planted/answers.txt | grep "transform_whole<2>")"
none "no tests, no benches, no patches" "$(find "$kit" -name '*.patch' -o -name tests -o -name bench)"
for lab in "$root"/labs/*/; do
    name=$(basename "$lab")
    cmp -s "$lab/${name%%-*}.cu" "$kit/common/lab/skeletons/$name/${name%%-*}.cu" || fail "the skeletons" "$name is another"
done
pass "the skeletons are the labs'"

# ---- a checkout in which classes are graded: only what is the kit's is packed ----

rm -rf "$folder/used" && mkdir -p "$folder/used/build/labs/lab99" "$folder/used/build/kit"
used=$folder/used
(cd "$root" && tar --exclude=./build --exclude=./.git -cf - .) | tar -xf - -C "$used"
for part in "$build"/labs/*; do ln -s "$part" "$used/build/labs/"; done
cp "$shown" "$used/build/kit/shown"
echo ptx >"$used/build/labs/lab99/baseline.ptx"
(cd "$used" && git init -q && git add -A)
lab3=labs/lab3-bank-conflicts
pack_used() { (cd "$used" && sh grader/kit/pack.sh build "$used/out") >"$out" 2>&1; status=$?; }
packed() { (cd "$used/out/warpstep" && find . -type f | LC_ALL=C sort); }
pack_used
expect "a checkout" 0 "files,"
packed >plain
none "of a clean checkout nothing is left out" "$(grep 'Left out' "$out")"
foreign="results/results.db results/anna.json submissions/anna/lab3.cu roster.csv upload.csv exam-solution.cu notes.md
    $lab3/lab3-solution.cu $lab3/lab3.cu.bak $lab3/extra.c $lab3/results/anna.json $lab3/results/results.db handouts/roster.csv handouts/exam.md
    handouts/lab3-exam.md common/lab/results/results.db common/lab/results/anna.c common/lab/secret.c grader/roster.csv grader/course/mine.h
    labs/submissions/anna/lab3.cu labs/lab3.zip labs/lab99-sums/lab99-solution.cu labs/lab99-sums/results/results.db labs/lab99-sums/roster.csv
    labs/lab99-sums/results/lab99.h"
for path in $foreign; do
    mkdir -p "$used/$(dirname "$path")"
    echo mine >"$used/$path"
done
printf 'mine\n' >"$used/Gro\303\237e Klasse.csv"
mkdir -p "$used/common/lab/skeletons/lab99-sums"
for path in lab99.c lab99.h lab99.cu baseline.cu reference.csv; do echo "/* sums */" >"$used/labs/lab99-sums/$path"; done
cp "$used/labs/lab99-sums/lab99.cu" "$used/common/lab/skeletons/lab99-sums/"
echo '# Sums' >"$used/handouts/lab99-sums.md"
pack_used
expect "a checkout with a class in it" 0 "Left out" "results/ (2 files)" "roster.csv" "$lab3/lab3-solution.cu" "exam-solution.cu"
packed >used.files
added=$(LC_ALL=C comm -13 plain used.files | tr '\n' ' ')
wanted="./common/lab/skeletons/lab99-sums/lab99.cu ./handouts/lab99-sums.md ./labs/lab99-sums/baseline.cu ./labs/lab99-sums/baseline.ptx ./labs/lab99-sums/lab99.c ./labs/lab99-sums/lab99.cu ./labs/lab99-sums/lab99.h ./labs/lab99-sums/reference.csv "
if [ "$added" = "$wanted" ]; then pass "a new lab that git does not track is packed, and nothing else"; else fail "what a class leaves in a checkout" "packed: $added" "$out"; fi
none "and nothing is missing" "$(LC_ALL=C comm -23 plain used.files)"
# Without git only a file's place is known: what lies among the kit's own sources is taken for one of them.
mv "$used/.git" "$folder/git"
rm "$used/common/lab/secret.c" "$used/grader/course/mine.h" "$used/$lab3/extra.c" "$used/handouts/exam.md"
(cd "$used" && GIT_CEILING_DIRECTORIES=$folder sh grader/kit/pack.sh build "$used/out") >"$out" 2>&1
status=$?
expect "without git" 0 "Left out" "roster.csv" "labs/lab99-sums/lab99-solution.cu"
packed >bare.files
none "the same is packed" "$(diff used.files bare.files)"
mv "$folder/git" "$used/.git"
cp "$root/solutions/lab3-bank-conflicts/lab3.cu" "$used/$lab3/lab3.cu"
rm -r "$used/out"
pack_used
expect "a skeleton that was solved is not packed" 1 "Nothing is packed" "$lab3/lab3.cu:" "padded_kernel" "./grade reset"
if [ -e "$used/out/warpstep.tar.gz" ]; then fail "a skeleton that was solved" "there is an archive"; else pass "nor anything else"; fi
rm -rf "$used"

# ---- its texts ----

none "texts name nothing that is not there" "$(sh "$root/grader/tests/kit_texts.sh" "$kit" "$folder/texts")"
# The search itself, on sentences as they were once left behind.
rm -rf spoilt && cp -r "$kit" spoilt
printf '%s\n' '' 'More: [pages](handouts/nowhere.md), for .' 'Measured (, all figures) with `common/vgpu/bench/steps.cu`: `make bench`, [a](#nowhere), ![b](c.svg).' >>spoilt/README.md
sh "$root/grader/tests/kit_texts.sh" spoilt "$folder/texts" >"$out"
for words in handouts/nowhere.md '"[^"]*for \.' '"Measured (,' 'common/vgpu/bench/steps.cu. is not here' 'make bench' '#nowhere' 'c\.svg'; do
    some "a fault in a text would be found: $words" "$(grep "$words" "$out")"
done
for text in 'a <!-- /instructor -->' '<!-- instructor --> b' 'c <!-- instructor --> <!-- instructor -->'; do
    if printf '%s\n' "$text" | awk -f "$root/grader/kit/students.awk" >/dev/null 2>&1; then fail "marks that do not match" "$text"; else pass "marks that do not match"; fi
done
cut=$(printf '%s\n' 'One<!-- instructor -->, two' 'and three<!-- /instructor -->.' '' '<!-- instructor -->' 'Four.' '' 'Five.' '<!-- /instructor -->' '' '| a <!-- instructor line --> |' 'Six.' |
    awk -f "$root/grader/kit/students.awk" | tr '\n' '|')
if [ "$cut" = 'One.||Six.|' ]; then pass "passages for instructors are cut as a whole"; else fail "passages for instructors" "$cut"; fi

# ---- its sources are all there: what includes what it lacks is found without a build ----

cuda=$(cd "$root" && printf 'include common/cuda.mk\nall:;@echo $(CUDA)\n' | make -sf - all)
for source in "$kit"/labs/*/*.c; do
    (cd "$kit" && ${CC:-cc} -std=gnu11 -fsyntax-only -Icommon -isystem "$cuda/include" "$source") >>syntax 2>&1
done
none "drivers include nothing that is not there" "$(grep error syntax)"

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}
[ $# -gt 0 ] || finish

# ---- it works by itself, for an ordinary user ----

mkdir "$TMPDIR/home"
tar -xzf "$folder/warpstep.tar.gz" -C "$TMPDIR/home"
cp -r "$root/solutions" "$TMPDIR/solutions"
chmod -R a+rX "$TMPDIR/solutions"
[ "$(id -u)" != 0 ] || chown -R 20001:20001 "$TMPDIR/home"
as_student() { # words...: in the kit
    set -- env HOME="$TMPDIR/home" TMPDIR=/tmp "$@"
    [ "$(id -u)" != 0 ] || set -- setpriv --reuid=20001 --regid=20001 --clear-groups "$@"
    (cd "$TMPDIR/home/warpstep" && "$@") </dev/null
}
says() { # what status words command...
    what=$1 want=$2 words=$3
    shift 3
    as_student "$@" >"$out" 2>&1
    status=$?
    expect "$what" "$want" "$words"
}
as_student make -s "$@" VIRTUAL=1 >"$out" 2>&1
status=$?
expect "make labs" 0
for id; do
    lab=$(basename "$root"/labs/"$id"-*)
    if cmp -s "$build/labs/$id/kits" "$TMPDIR/home/warpstep/build/labs/$id/kits"; then pass "$id: its baselines take what they take here"; else
        diff "$build/labs/$id/kits" "$TMPDIR/home/warpstep/build/labs/$id/kits" >"$out"
        fail "$id: its baselines" "other times or counters" "$out"
    fi
    says "$id: the skeleton has no points" 0 " 0 of 100 points" ./grade "$id" --virtual
    as_student cp "$TMPDIR/solutions/$lab/$id.cu" "labs/$lab/$id.cu"
    says "$id: who solves it has all" 0 "100 of 100 points" ./grade "$id" --virtual
done
some "times of baselines are known" "$(cat "$TMPDIR"/home/warpstep/build/labs/*/kits | head -n 1)"
# These need lab 3 solved, whichever labs were asked for.
as_student cp "$TMPDIR/solutions/lab3-bank-conflicts/lab3.cu" labs/lab3-bank-conflicts/lab3.cu
says "explain" 0 "Kernel padded_kernel" ./grade explain lab3.padded --virtual
says "hint" 0 "padded" ./grade hint lab3.padded --virtual
says "a page" 0 "page.html" ./grade explain lab3.padded --virtual --html page.html
some "with the reference's counters" "$(grep -c '"reference":{"warp_instructions":' "$TMPDIR/home/warpstep/page.html")"
says "by hand" 0 "padded right" sh -c 'make -s lab3 VIRTUAL=1 && build/lab3 padded'
says "what a CPU takes for lab 10" 0 "CPU, one core" sh -c 'make -s lab10 VIRTUAL=1 && build/lab10 blelloch -n 1000 --references'
says "reset" 0 "lab3" ./grade reset lab3
says "the list" 0 "lab10" ./grade
says "help" 0 "labN" make help
none "help names no tests" "$(grep -E '^  (test|check|bench)' "$out")"
says "doctor" 0 "" ./grade doctor
finish
