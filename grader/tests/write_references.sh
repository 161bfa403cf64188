#!/bin/sh
# write_references.sh - what the solutions count, for pages of ./grade explain: write_references.sh LAB...
# Writes labs/LAB-*/reference.csv: a row for each counter, a column for each stage with points that is timed, on the virtual GPU as an
# H200. A lab without such stages has none.
set -eu
cd "$(dirname "$0")/../.."
for lab; do
    folder=$(echo labs/"$lab"-*)
    table=$folder/reference.csv kept=build/labs/$lab/reference
    rm -f "$table" "$kept"/*-h200
    stages=$(build/"$lab" --list | awk '/^cases/ { exit } $1 ~ /^[0-9]+$/ && / points/ { print $1 "/" $2 }')
    files=
    for stage in $stages; do
        ./grade explain "$lab.${stage%/*}" --solution --virtual --html build/reference.html >/dev/null
        ! [ -f "$kept/${stage#*/}-h200" ] || files="$files $kept/${stage#*/}-h200"
    done
    [ -n "$files" ] || continue
    # shellcheck disable=SC2086
    awk -F '\t' '
        FNR == 1 { n = split(FILENAME, part, "/"); sub(/-h200$/, "", part[n]); heads = heads "," part[n]; file++ }
        $1 == "counter" { if (!($2 in at)) { at[$2] = ++rows; names[rows] = $2 } value[at[$2], file] = $3 }
        END {
            print "counter" heads
            for (i = 1; i <= rows; i++) {
                line = names[i]
                for (k = 1; k <= file; k++)
                    line = line "," value[i, k]
                print line
            }
        }' $files >"$table.new"
    mv "$table.new" "$table"
    echo "$table: $(echo "$files" | wc -w) stages"
done
