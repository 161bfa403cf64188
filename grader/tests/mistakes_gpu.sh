#!/bin/sh
# mistakes_gpu.sh - does the virtual GPU give mistakes the points that a GPU gives? mistakes_gpu.sh OUT_DIR LAB...
# Every patch of grader/tests/mistakes is graded in its own stage, on this machine's GPU and on the virtual one, JOBS at a
# time (the judge lets one process at a time onto the GPU). Leaves a table in OUT_DIR/mistakes.md. It does not look at what
# reports say: that is mistakes.sh. Where there is no patch(1), PATCHED=FOLDER names a folder of mistakes.sh with the files.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# Points for right, clean, concept and speed, and the speedup, of the only stage in a report: "8+4+12+16 6.12".
facts() { # report
    tr '\n' ' ' <"$1" | sed -n 's/.*"parts":{"correct":{"points":\([0-9]*\),[^}]*},"clean":{"points":\([0-9]*\),[^}]*},"concept":{"points":\([0-9]*\),[^}]*},"speed":{"points":\([0-9]*\),[^}]*}},"speedup":\([0-9.nul]*\).*/\1+\2+\3+\4 \5/p' |
        awk '{ print $1, ($2 == "null" ? "-" : sprintf("%.2f", $2)) }'
}

make_wrong() { # patch file
    if [ -n "${PATCHED:-}" ]; then
        cp "$PATCHED/$lab-$name/$lab.cu" "$2"
    else
        cp "$root"/solutions/"$lab"-*/"$lab".cu "$2" && patch -s -p1 "$2" "$1" >/dev/null
    fi
}

# One patch: leaves the row of the table.
try() { # patch folder
    lab=$(basename "$(dirname "$1")")
    name=$(basename "$1" .patch)
    stage=$(sed -n 's/^# stage: //p' "$1" | head -n 1)
    work=$2/$lab-$name
    mkdir -p "$work"
    make_wrong "$1" "$work/$lab.cu" || { echo "| $lab $name | $stage | does not apply | | | | DIFFER |" >"$work/row"; return; }
    "$root/grade" "$lab" --stage "$stage" --json --file "$work/$lab.cu" >"$work/gpu.json" 2>"$work/gpu.log"
    "$root/grade" "$lab" --stage "$stage" --json --virtual --file "$work/$lab.cu" >"$work/virtual.json" 2>"$work/virtual.log"
    gpu=$(facts "$work/gpu.json") virtual=$(facts "$work/virtual.json")
    if [ -n "$gpu" ] && [ "${gpu% *}" = "${virtual% *}" ]; then agree=agree; else agree=DIFFER; fi
    echo "| $lab $name | $stage | ${gpu% *} | ${virtual% *} | ${gpu#* } | ${virtual#* } | $agree |" >"$work/row"
}

if [ "$1" = --one ]; then
    try "$2" "$3"
    exit 0
fi

out=$1
shift
[ -n "${PATCHED:-}" ] || command -v patch >/dev/null || { echo "mistakes_gpu.sh needs patch, or PATCHED"; exit 2; }
gpu=$("$root/build/judge-gpu" --probe | cut -f 1)
[ -n "$gpu" ] || { echo "there is no GPU here"; exit 2; }
rm -rf "$out"
mkdir -p "$out"
for lab; do
    "$root/grade" "$lab" --solution >/dev/null 2>&1 # builds the kit's part before many want it at once
    find "$here/mistakes/$lab" -name '*.patch'
done | sort | xargs -P "${JOBS:-1}" -I PATCH sh "$0" --one PATCH "$out"
passed=$(cat "$out"/*/row | grep -c ' agree |$')
failed=$(cat "$out"/*/row | grep -c ' DIFFER |$')
{
    echo "# Typical mistakes on $gpu and on the virtual GPU"
    echo
    echo "Written by \`make test-mistakes-gpu\`: each mistake in its stage, points for right + clean + concept + speed, and"
    echo "speedups. $passed agree, $failed differ."
    echo
    echo "| mistake | stage | GPU | virtual | GPU speedup | virtual speedup | |"
    echo "|---|---|---|---|--:|--:|---|"
    cat "$out"/*/row
} >"$out/mistakes.md"
grep ' DIFFER |$' "$out/mistakes.md"
echo "the table is $out/mistakes.md"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
