#!/bin/sh
# run.sh - the diagnostics on planted bugs, and their silence on correct programs.
# A file in bugs/ is built twice: as it is, it must give a message of the kind and with the words of its "// expect:"
# line, naming this file and a line marked "// BUG", and the text of a "// says:" line,
# and not that of a "// never:" line; with -DFIXED it must print nothing. Files in silent/ print nothing.
# Usage: run.sh VGPUCC [BUILD_DIR [NAME...]]      JOBS=n builds and runs n programs at a time
here=$(cd "$(dirname "$0")" && pwd)
vgpucc=$1
build=${2:-build/diagnostics}
[ $# -ge 2 ] && shift 2 || shift $#
if [ ! -x "$vgpucc" ]; then
    echo "usage: run.sh VGPUCC [BUILD_DIR [NAME...]]" >&2
    exit 2
fi
mkdir -p "$build"

# Builds and runs one variant; its stderr is left in $build/$1.err
run_one() {
    if ! "$vgpucc" "$2" -o "$build/$1" $3 >"$build/$1.log" 2>&1; then
        echo "does not compile: $(head -1 "$build/$1.log")"
        return 1
    fi
    (cd "$here/$4" && VGPU_CHECK=full VGPU_BUDGET=${VGPU_BUDGET:-2000000} timeout 120 "$build/$1") \
        >"$build/$1.out" 2>"$build/$1.err"
    [ $? -ne 124 ] || { echo "does not end"; return 1; }
}

# True if the message says what the source file expects.
is_expected() {
    says=$(sed -n 's|^// says: ||p' "$2")
    [ -z "$says" ] || grep -qF "$says" "$1" || return 1
    never=$(sed -n 's|^// never: ||p' "$2")
    [ -z "$never" ] || ! grep -qF "$never" "$1" || return 1
    kind=$(sed -n 's|^// expect: \([a-z]*\):.*|\1|p' "$2" | head -1)
    words=$(sed -n 's|^// expect: [a-z]*: *||p' "$2" | head -1)
    for line in $(grep -n '// BUG' "$2" | cut -d: -f1); do
        grep "^vgpu: $kind: " "$1" | grep -F "$(basename "$2"):$line" | grep -E "$(basename "$2"):$line([^0-9]|\$)" |
            grep -qF "$words" && return 0
    done
    return 1
}

silent_or_say() {
    grep '^vgpu:' "$1" | head -1
    ! grep -q '^vgpu:' "$1"
}

case_bug() {
    name=$1 file=$here/bugs/$1.cu
    said=$(run_one "$name" "$file" "" bugs) || { echo "FAIL $name: $said"; return; }
    if ! is_expected "$build/$name.err" "$file"; then
        echo "FAIL $name: said '$(grep '^vgpu:' "$build/$name.err" | head -2 | tr '\n' '|')'"
        return
    fi
    said=$(run_one "$name-fixed" "$file" -DFIXED bugs) || { echo "FAIL $name, repaired: $said"; return; }
    if said=$(silent_or_say "$build/$name-fixed.err"); then echo "pass $name"; else echo "FAIL $name, repaired: $said"; fi
}

case_silent() {
    name=$1
    said=$(run_one "silent-$name" "$here/silent/$name.cu" "" silent) || { echo "FAIL $name: $said"; return; }
    if ! said=$(silent_or_say "$build/silent-$name.err"); then
        echo "FAIL $name: $said"
    elif ! grep -q '^ok' "$build/silent-$name.out"; then
        echo "FAIL $name: wrong result: $(head -1 "$build/silent-$name.out")"
    else
        echo "pass $name"
    fi
}

if [ "$CASE" ]; then # one case, for the parallel run below
    [ -f "$here/bugs/$CASE.cu" ] && case_bug "$CASE" || case_silent "$CASE"
    exit 0
fi

build=$(cd "$build" && pwd)
vgpucc=$(cd "$(dirname "$vgpucc")" && pwd)/$(basename "$vgpucc")
names=$*
[ "$names" ] || names=$(cd "$here" && ls bugs/*.cu silent/*.cu | sed 's|.*/||; s|\.cu$||')
for name in $names; do echo "$name"; done |
    xargs -P "${JOBS:-1}" -I NAME env CASE=NAME sh "$here/run.sh" "$vgpucc" "$build" | tee "$build/results"
passed=$(grep -c '^pass' "$build/results")
failed=$(grep -vc '^pass' "$build/results")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
