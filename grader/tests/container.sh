#!/bin/sh
# container.sh - the Dockerfile and the workflow of GitHub, their commands run as scripts, here: container.sh FOLDER BUILD
# No Docker and no network: RUN lines and `run:` steps are taken out of the files and run in a folder that stands for the machine, with
# one lab. Needs nvcc here: packages.sh then installs nothing.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 build=$(cd "$2" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
files=$root/grader/kit/container
top=$TMPDIR/machine
mkdir -p "$top/usr/local/bin"

# ---- what all of them install ----

sh "$root/common/packages.sh" --list >"$out"
status=$? asked=
expect "packages" 0 "cuda-nvcc-13-0" "cuda-cudart-dev-13-0" "libcurand-dev-13-0" "bubblewrap"
sh "$root/common/packages.sh" --list lab3 >"$out"
if grep -q curand "$out"; then fail "packages of lab3" "cuRAND is among them" "$out"; else pass "packages of a lab without cuRAND"; fi
sh "$root/common/packages.sh" --list lab1 >"$out"
if grep -q curand "$out"; then pass "packages of a lab with cuRAND"; else fail "packages of lab1" "cuRAND is missing" "$out"; fi
for file in "$files/Dockerfile" "$files/grade.yml" "$root/grader/kit/gradescope/setup.sh"; do
    name=$(basename "$file")
    if grep -q 'packages\.sh' "$file" && ! grep -qE 'apt-get|apt install' "$file"; then pass "$name has no list of its own"; else fail "$name" "it has a list of its own"; fi
done
if sh "$root/common/packages.sh" lab3 >"$out" 2>&1; then pass "nothing is to be installed here"; else fail "packages.sh" "status $?" "$out"; fi

# The student's kit with one lab: the others take minutes.
sh "$root/grader/kit/pack.sh" "$build" "$folder/kit" >"$out" 2>&1 || fail "the kit" "it cannot be packed" "$out"
for lab in "$folder"/kit/warpstep/labs/*; do case $lab in */lab3-*) ;; *) rm -r "$lab" ;; esac; done
tar -C "$folder/kit" -czf "$folder/kit/warpstep.tar.gz" warpstep

# ---- the Dockerfile: COPY, ADD and RUN, in a tree of our own ----

sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' "$files/Dockerfile" | grep -vE '^ *(#|$)' >lines
while read -r word rest; do
    case $word in
    FROM | WORKDIR | ENTRYPOINT | CMD) ;;
    COPY) echo "mkdir -p '$top$(dirname "${rest#* }")' && cp '$folder/kit/${rest%% *}' '$top${rest#* }'" ;;
    ADD) echo "tar -xzf '$folder/kit/${rest%% *}' -C '$top${rest#* }'" ;;
    RUN) printf '%s\n' "$rest" | sed "s|/opt/|$top/opt/|g; s|/usr/local/bin|$top/usr/local/bin|g" ;;
    *) echo "echo 'what is $word?'; exit 1" ;;
    esac
done <lines >image.sh
sed -i "s|$top/opt/warpstep/grade|../../../opt/warpstep/grade|" image.sh
if sh -eu image.sh >"$out" 2>&1; then pass "the Dockerfile's commands"; else fail "the Dockerfile's commands" "status $?" "$out"; fi
if [ -e "$top/opt/source" ]; then fail "the image" "sources are left behind"; else pass "no sources are left behind"; fi
found=$(find "$top/opt" -path '*solutions*' | head -n 1)
if [ -z "$found" ]; then pass "no solution is in it"; else fail "no solution is in it" "$found"; fi
mkdir work
cp "$root/solutions/lab3-bank-conflicts/lab3.cu" work/
(cd work && "$top/usr/local/bin/grade" lab3 --file lab3.cu --virtual) >"$out" 2>&1
status=$?
expect "what the image runs" 0 "100 of 100 points"

# ---- the workflow: its steps, one after another ----

if command -v python3 >/dev/null && python3 -c 'import yaml' 2>/dev/null; then
    if python3 -c 'import sys, yaml; j = yaml.safe_load(open(sys.argv[1])); assert j["jobs"]["grade"]["steps"]' "$files/grade.yml"; then
        pass "the workflow is YAML"
    else
        fail "the workflow" "it is no YAML"
    fi
fi
# Who can write to the repository can change the workflow: it promises no more than it holds. And a push is graded once.
if grep -q '^# These points are practice\.' "$files/grade.yml" && ! grep -qi 'no student can' "$files/grade.yml" "$root/handouts/instructor.md"; then
    pass "its points are practice"
else
    fail "its points are practice" "the workflow does not say so"
fi
calls=$(grep -c 'grade "\$LAB"' "$files/grade.yml")
if [ "$calls" = 1 ]; then pass "a push is graded once"; else fail "a push is graded once" "the workflow grades $calls times"; fi
mkdir -p runner/bin runner/submission
# Each in a shell of its own, as there.
awk '/^ *run: \|$/ { inside = index($0, "run"); print "("; next }
     inside && /[^ ]/ && match($0, /[^ ]/) <= inside { inside = 0; print ")" }
     inside { print substr($0, inside + 2); next }
     /^ *run: [^|]/ { sub(/^ *run: /, ""); print "(" $0 ")" }
     END { if (inside) print ")" }' "$files/grade.yml" >steps.sh
printf '#!/bin/sh\nexec "$@"\n' >runner/bin/sudo
printf '#!/bin/sh\ncp "%s" "$3"\n' "$folder/kit/warpstep.tar.gz" >runner/bin/wget # -q -O FILE URL
chmod +x runner/bin/*
if [ "$(grep -c . steps.sh)" -ge 12 ]; then pass "steps were found"; else fail "steps" "there are few" steps.sh; fi
mv runner "$TMPDIR/runner"
# What the image has built need not be built once more: make finds it, as behind a cache.
mkdir "$TMPDIR/runner/warpstep"
cp -a "$top/opt/warpstep/build" "$top/opt/warpstep/grade" "$TMPDIR/runner/warpstep/"
workflow() { # sha of the archive
    (
        cd "$TMPDIR/runner" || exit 1
        rm -f result.json
        export LAB=lab3 KIT_URL=https://example.org/kit KIT_SHA="$1" PATH="$TMPDIR/runner/bin:$PATH" GITHUB_STEP_SUMMARY="$TMPDIR/runner/summary"
        export CLASSROOM=cuda ASSIGNMENT=lab3 OWNER=ann COMMIT_URL=https://example.org/commit/1
        sh -e "$folder/steps.sh"
    ) >"$out" 2>&1
    status=$?
}
sum=$(sha256sum "$folder/kit/warpstep.tar.gz" | cut -d ' ' -f 1)
git -C "$TMPDIR/runner/submission" init -q
cp work/lab3.cu "$TMPDIR/runner/submission/"
git -C "$TMPDIR/runner/submission" -c user.name=ann -c user.email=ann@example.org add lab3.cu
GIT_COMMITTER_DATE='2026-11-17T10:00:00+0100' git -C "$TMPDIR/runner/submission" -c user.name=ann -c user.email=ann@example.org commit -qm 'Transpose'
workflow "$sum"
expect "a push" 0 "100 of 100 points, and 10 bonus points"
if grep -q "100 of 100 points" "$TMPDIR/runner/summary"; then pass "the run's page has the report"; else fail "the run's page" "no report"; fi
cp "$TMPDIR/runner/result.json" "$out"
expect "result.json" 0 '"schema":"classroom50/result/v1","classroom":"cuda","assignment":"lab3"' '"owner":"ann"' '"datetime":"2026-11-17T09:00:00Z"' \
    '"score":100,"max-score":100' '"test-name":"tiled","passed":true,"score":30,"max-score":30'
workflow 0000
if [ "$status" != 0 ] && [ ! -e "$TMPDIR/runner/result.json" ]; then pass "another archive is refused"; else fail "another archive" "it was taken" "$out"; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
