#!/bin/sh
# gradescope.sh - the bundle for Gradescope, as its container would run it: gradescope.sh FOLDER BUILD
# Unpacked into a folder that stands for /autograder, built by its own setup.sh, and run in cgroups with the container's memory and half
# a core, where this machine lets us make them. Needs nvcc here: packages.sh then installs nothing.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 build=$(cd "$2" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
# Root's submissions run as another user, who must be able to come to the kit.
top=$TMPDIR/autograder
AUTOGRADER=$top
export AUTOGRADER
solution=$root/solutions/lab3-bank-conflicts/lab3.cu
memory_mb=768
mkdir -p "$top/source" "$top/submission"

# ---- limits: cgroups of version 1 or 2, beside our own ----

group=warpstep-gradescope-$$
groups=
make_group() { # controller file value...: below the group that we are in
    controller=$1
    shift
    if [ -d "/sys/fs/cgroup/$controller" ]; then
        base=/sys/fs/cgroup/$controller$(sed -n "s/^[0-9]*:\(.*,\)*$controller\(,.*\)*://p" /proc/self/cgroup)
    else
        base=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
    fi
    mkdir "$base/$group" 2>/dev/null || [ -d "$base/$group" ] || return 1
    while [ $# -gt 1 ]; do
        { echo "$2" >"$base/$group/$1"; } 2>/dev/null || return 1
        shift 2
    done
    groups="$groups $base/$group"
}
has_memory= has_cpu=
make_group memory memory.limit_in_bytes $((memory_mb << 20)) 2>/dev/null || make_group memory memory.max $((memory_mb << 20)) memory.swap.max 0 2>/dev/null
[ $? != 0 ] || has_memory=1
make_group cpu cpu.cfs_period_us 100000 cpu.cfs_quota_us 50000 2>/dev/null || make_group cpu cpu.max '50000 100000' 2>/dev/null
[ $? != 0 ] || has_cpu=1
# shellcheck disable=SC2154
trap 'for one in $groups; do rmdir "$one" 2>/dev/null; done; rm -rf "$TMPDIR"' EXIT
echo "limits: ${has_memory:+$memory_mb MB} ${has_cpu:+half a core}"
limited() { # words...
    # shellcheck disable=SC2016
    groups=$groups sh -c 'for one in $groups; do echo $$ >"$one/cgroup.procs"; done; exec "$@"' - "$@"
}

# ---- the bundle ----

if sh "$root/grader/kit/gradescope/pack.sh" "$build" "$folder" lab3 >"$out" 2>&1; then pass "it is packed"; else fail "it is packed" "status $?" "$out"; fi
sh "$root/grader/kit/gradescope/pack.sh" "$build" "$folder" lab99 >"$out" 2>&1
status=$? asked=
expect "a lab that is not there" 1 "LAB=lab99 is no lab"
cp "$folder/lab3.zip" first.zip
sh "$root/grader/kit/gradescope/pack.sh" "$build" "$folder" lab3 >"$out" 2>&1
if cmp -s first.zip lab3.zip; then pass "it is the same every time"; else fail "it is the same every time" "another zip"; fi
(cd "$top/source" && unzip -q "$folder/lab3.zip")
found=$(tar -tzf "$top/source/warpstep.tar.gz" | grep -E 'solutions/|/tests/|instructor' | head -n 3)
if [ -z "$found" ]; then pass "no solution is in it"; else fail "no solution is in it" "$found"; fi
if "$top/source/setup.sh" >"$out" 2>&1; then pass "setup.sh"; else fail "setup.sh" "status $?" "$out"; fi
find "$top/warpstep" -printf '%p %s %T@\n' | LC_ALL=C sort >before

# ---- one submission after another ----

results=$top/results/results.json
submit() { # files...: FROM=NAME
    rm -rf "$top/submission" "$top/results"
    mkdir -p "$top/submission" "$top/results"
    for file; do
        mkdir -p "$(dirname "$top/submission/${file#*=}")"
        cp "${file%%=*}" "$top/submission/${file#*=}"
    done
}
run() { # [variable=value...]
    asked=
    begun=$(date +%s)
    limited env "$@" "$top/source/run_autograder" >stdout 2>stderr </dev/null
    status=$?
    took=$(($(date +%s) - begun))
    cp "$results" "$out" 2>/dev/null || : >"$out"
    ! command -v python3 >/dev/null || python3 -m json.tool <"$out" >/dev/null 2>&1 || fail "results.json" "it is no JSON" "$out"
}
# A score, and each test's; words.
graded() { # what score words...
    what=$1 score=$2
    shift 2
    grep -q "^{\"score\":$score," "$out" || { fail "$what" "no score of $score" "$out"; cat stderr; return; }
    expect "$what ($took s)" 0 '"visibility":"visible"' '"stdout_visibility":"hidden"' '"leaderboard":[{"name":"points"' "$@"
    [ "$took" -lt 540 ] || fail "$what" "it took $took s of 600"
}
failed_run() { # what words...
    what=$1
    shift
    if grep -qE '"score"|"tests"' "$out"; then fail "$what" "it has a score" "$out"; else expect "$what" 0 '{"output":"Error of the kit' "$@"; fi
}

submit "$solution=lab3.cu"
run
graded "a solution" 110 '"score":30,"max_score":30,"status":"passed","number":"2","name":"tiled: through a tile in shared memory"' \
    '(bonus)"' '{"name":"speedup of padded","value":3.7' '"order":"desc"}'
submit "$root/labs/lab3-bank-conflicts/lab3.cu=lab3.cu"
run
graded "the skeleton" 0 '"score":0,"max_score":30,"status":"failed"' "launched no kernel"
echo 'nonsense' >bad.cu
submit bad.cu=lab3.cu
run
graded "what does not compile" 0 '"name":"lab3.cu can be graded"' "lab3.cu does not compile" "lab3.cu(1): error"
submission "" "for (;;) ;" ""
submit bad.cu=lab3.cu
run
graded "host code that never ends" 0
submission "for (volatile int i = 0; i >= 0;) ;" "" ""
submit bad.cu=lab3.cu
run
graded "a kernel that never ends" 0
submission "" "size_t n = (size_t)1 << 40; char *p = (char *)malloc(n); for (size_t i = 0; p && i < n; i += 4096) p[i] = 1;" ""
submit bad.cu=lab3.cu
run
if grep -q '"score":0' "$out"; then graded "host code that takes all memory" 0; else failed_run "host code that takes all memory"; fi
submission "" "std::string s(1000, 'x'); fprintf(stderr, \"{\\\"score\\\":1000}\"); printf(\"{\\\"score\\\":1000}\");" "#include <string>"
submit bad.cu=lab3.cu
run
graded "a submission that prints results" 0

submit
run
graded "nothing" 0 "lab3.cu: there is no lab3.cu in the folder: it is empty."
submit bad.cu=notes.txt bad.cu=transpose.c
run
graded "other files" 0 "there is no lab3.cu in the folder: it holds notes.txt, transpose.c"
submit "$solution=Lab3 (1).cu" bad.cu=notes.txt
run
graded "another name" 110 "Taken so: Lab3 (1).cu was taken for lab3.cu"
rm -rf packed
mkdir packed
cp "$solution" packed/lab3.cu
tar -C packed -czf packed.tar.gz .
submit packed.tar.gz=work.tar.gz
run
graded "an archive" 110 "work.tar.gz"
submit "$solution=a/lab3.cu" bad.cu=b/lab3.cu
run
graded "two of them" 0 "several files could be lab3.cu, and none was taken: a/lab3.cu, b/lab3.cu"
submit "$solution=my work/lab3.cu" "bad.cu=__MACOSX/lab3.cu"
run
graded "in a folder, beside what a Mac adds" 110
submit "$solution=labs/lab3-bank-conflicts/lab3.cu" bad.cu=common/lab/skeletons/lab3-bank-conflicts/lab3.cu
run
graded "a whole kit" 110
submit
ln -s "$solution" "$top/submission/lab3.cu"
run
graded "a link" 0 "lab3.cu is a link, and links are not followed"

# ---- the kit's own faults ----

submit "$solution=lab3.cu"
run NVCC=/none/nvcc
failed_run "no nvcc" "status 2"
run LIMIT_S=1
failed_run "no time" "more than 1 seconds"
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/nvcc
chmod +x bin/nvcc
run NVCC="$folder/bin/nvcc"
failed_run "an nvcc that does not work" "The compiler cannot work"
# As in a container that allows no namespaces.
printf '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n' >bin/bwrap
chmod +x bin/bwrap
run PATH="$folder/bin:$PATH" NVCC="$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)"
graded "without bubblewrap" 110
sed -n 's/.*"sandbox":"\([^"]*\)".*/sandbox then: \1/p' "$out"

find "$top/warpstep" -printf '%p %s %T@\n' | LC_ALL=C sort >after
if cmp -s before after; then pass "nothing of the kit has changed"; else fail "nothing of the kit has changed" "$(diff before after | head -n 3)"; fi
for one in $groups; do
    cat "$one/memory.max_usage_in_bytes" "$one/memory.peak" 2>/dev/null | awk '{ printf "most memory: %d MB\n", $1 / 1048576 }'
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
