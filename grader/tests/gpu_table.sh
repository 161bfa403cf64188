#!/bin/sh
# gpu_table.sh - the table of what gpu.sh has left: gpu_table.sh OUT_DIR LAB...
out=$1
here=$(cd "$(dirname "$0")" && pwd)
shift

# "100 of 100 points and 10 bonus points in 10 of 10 runs": what most runs gave, and how many gave it.
in_runs() { # lab student
    cat "$out/$1"/gpu*/results.csv | awk -F, -v student="$2" '
        $1 == student { runs++; count[$2 " of " $3 " points" ($4 ? " and " $4 " bonus points" : "")]++ }
        END {
            for (text in count)
                if (!best || count[text] > count[best])
                    best = text
            print best " in " count[best] " of " runs " runs"
        }'
}

gpu=$(sed -n 's/.*"gpu":"\([^"]*\)".*/\1/p' "$out/$1/check.json" | head -n 1)
cat <<TEXT
# Grades on $gpu and on the virtual GPU

Written by \`make test-gpu\`. For each stage: its points; the points that the kernel of the step before earns in its place,
on the GPU and on the virtual one; the speedup, and that of the step before, on both.
TEXT
for lab; do
    printf '\n## %s\n\nThe solution earns %s, the skeleton %s.\n' "$lab" "$(in_runs "$lab" solution)" "$(in_runs "$lab" skeleton)"
    printf '`./grade check %s`: %s on the GPU, %s on the virtual GPU.\n\n' "$lab" \
        "$(grep -q '"is_apart":true' "$out/$lab/check.json" && echo "nothing to mend" || echo "TO BE MENDED")" \
        "$(grep -q '"is_apart":true' "$out/$lab/check-virtual.json" && echo "nothing to mend" || echo "TO BE MENDED")"
    awk -f "$here/../../common/base/json.awk" -f "$here/gpu_table.awk" "$out/$lab/check.json" "$out/$lab/check-virtual.json"
done
