#!/bin/sh
# rows.sh - a row for every stage of some labs' solutions: rows.sh BUILD PROGRAM JOBS LAB...
# PROGRAM is bench, on the virtual GPU that VGPU_GPU names, or bench-gpu. A stage that cannot be timed has a row without times,
# and what it said goes to standard error; the status is 1 then. STAGES=--written leaves out what is given. What the GPU can do at
# most is measured once, before all rows.
build=$1 program=$2 jobs=$3
shift 3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

for lab in "$@"; do
    for stage in $("$build/labs/$lab/$program" "${STAGES:---stages}"); do
        echo "$lab $stage"
    done
done >"$work/stages"
ceilings=$("$build/labs/$1/$program" --ceilings 2>"$work/ceilings.log") || { touch "$work/failed"; cat "$work/ceilings.log" >&2; }
xargs -P "$jobs" -L 1 sh -c '"$0/labs/$4/$1" "$5" $3 >"$2/$4.$5.row" 2>"$2/$4.$5.log" || touch "$2/failed"' \
    "$build" "$program" "$work" "$ceilings" <"$work/stages"

echo 'lab,stage,kind,base,base_us,time_us,rate,unit,ceiling,ceiling_rate,library,library_us,need'
while read -r lab stage; do
    sed "s/^/$lab.$stage: /" "$work/$lab.$stage.log" >&2
    if [ -s "$work/$lab.$stage.row" ]; then cat "$work/$lab.$stage.row"; else echo "$lab,$stage,,,,,,,,,,,"; fi
done <"$work/stages"
[ ! -e "$work/failed" ]
