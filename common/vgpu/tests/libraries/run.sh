#!/bin/sh
# run.sh - cuBLAS and cuRAND on the virtual GPU: run.sh BUILD PROGRAM... ; PROGRAMs are this folder's, built by vgpucc.
# Self-checking programs run under full checking and may raise no alarm; random_rows is held against random.golden, refused against
# refused.txt; vgpucc must say so when a library is missing; and the runtime has every call that the toolkit's has.
here=$(dirname "$0")
build=$1
shift
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
echo "$# cases"

judge() { # case why: passed where why is empty
    if [ -z "$2" ]; then
        passed=$((passed + 1))
        echo "pass $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1: $2"
    fi
}

self_checking() {
    VGPU_CHECK=full SILENT=1 sh "$here/../run_programs.sh" none "$1" >"$work/said" 2>&1
    judge "$(basename "$1")" "$(sed -n "/^FAIL/,/^    run it/{s/^FAIL [^:]*: //;p;}" "$work/said")"
}

random_rows() {
    for place in device host; do
        "$1" $place 2>&1 | sh "$here/compare.sh" "$here/random.golden" - >"$work/said" ||
            { judge random_rows "$place: $(grep -m 3 '^FAIL' "$work/said")"; return; }
    done
    judge random_rows ""
}

refused() {
    why=
    "$1" >"$work/out" 2>"$work/err" || why="it fails: $(tail -n 3 "$work/out")"
    sed -n 's/^ *\(.* is not supported on the virtual GPU.*\)/\1/p' "$work/err" >"$work/said"
    cmp -s "$work/said" "$here/refused.txt" || why="$why$(diff "$here/refused.txt" "$work/said" | head -n 4)"
    [ "$(grep -c 'refused.cu:[0-9]*: call' "$work/err")" = "$(wc -l <"$here/refused.txt")" ] || why="$why not all name their line"
    judge refused "$why"
}

missing() {
    ln -s "$(cd "$build" && pwd)/libvgpu.a" "$work/libvgpu.a"
    for library in cublas cublasLt curand; do
        if VGPU_LIB=$work/libvgpu.a "$build/vgpucc" "$here/refused.cu" -l$library -o "$work/program" >"$work/said" 2>&1; then
            judge missing "vgpucc links without lib$library"
            return
        fi
        grep -q "cannot read .*, which takes the place of lib$library: build it with .make vgpu" "$work/said" ||
            { judge missing "$(head -n 2 "$work/said")"; return; }
    done
    judge missing ""
}

# Every call that the toolkit's header of the runtime declares is in libvgpu.a, be it only to say that it is missing.
declared() {
    toolkit=$(dirname "$("$build/vgpucc" --version | sed -n 's/^nvcc: //p')")/..
    sed -n 's/.*CUDARTAPI \(cuda[A-Za-z0-9_]*\) *(.*/\1/p' "$toolkit/include/cuda_runtime_api.h" | sort -u >"$work/declared"
    nm --defined-only "$build/libvgpu.a" 2>"$work/said" | awk '$2 == "T" { print $3 }' | sort -u >"$work/defined"
    why=$(comm -23 "$work/declared" "$work/defined" | head -n 5 | tr '\n' ' ')
    [ "$(wc -l <"$work/declared")" -gt 250 ] || why="the header has few calls"
    judge declared "$why"
}

for program in "$@"; do
    case $(basename "$program") in
    random_rows) random_rows "$program" ;;
    refused) refused "$program" ;;
    missing) missing ;;
    declared) declared ;;
    *) self_checking "$program" ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
