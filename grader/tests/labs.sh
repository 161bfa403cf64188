#!/bin/sh
# labs.sh - every lab by the real ./grade: labs.sh FOLDER labN-CASE...
# CASE is skeleton (it earns nothing), solution (all points), or json (one stage of it, in a form that python can read).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --one ]; then
    folder=$1
    shift
    exec sh "$root/common/vgpu/tests/each.sh" "sh $0 --one $folder" "$@"
fi

folder=$2/$3 name=$3 lab=${3%%-*}
rm -rf "$folder"
mkdir -p "$folder"
. "$root/grader/tests/outside.sh"
case ${name#*-} in
skeleton)
    grade "$lab" --virtual
    expect "$name" 0 "0 of 100 points" "Next: ./grade"
    says_no() { # text what
        if grep -q -- "$1" "$out"; then fail "$name" "$2" "$out"; else pass "$name: not \"$1\""; fi
    }
    says_no "sandbox:" "it tells of a sandbox in which nothing is amiss"
    says_no "launched no kernel" "it says again what the row has said"
    # Where to find the bug is the task, the first report does not say how it is fixed.
    if [ "$lab" = lab0 ]; then
        says_no "likely cause" "it gives a bug away"
        [ "$(grep -c "^ *-> " "$out")" = "$(grep -c "launches nothing" "$out")" ] && pass "$name: no fix of a bug" || fail "$name" "it fixes bugs" "$out"
    fi
    # Where nothing is written yet, the arrow says which TODO is open; where to find the bug is the task, it is held back.
    hunts=$(awk '/STAGE\(/ { split($0, part, /[()]/) } /is_hunt = true/ { print part[2] }' "$root"/labs/"$lab"-*/"$lab".c)
    silent=$(awk -v hunts=" $(echo $hunts) " '/^ *[0-9]+  [a-z0-9_]+  / { tell(); stage = $2; is_told = $3 !~ /^0\// || index(hunts, " " $2 " ") }
        /TODO|section [0-9]|not given yet/ { is_told = 1 }
        /^ *[0-9]+ of [0-9]+ points/ { tell(); exit }
        function tell() { if (stage && !is_told) print stage; stage = "" }' "$out")
    [ -z "$silent" ] && pass "$name: each open stage says so" || fail "$name" "no TODO is named in: $(echo $silent)" "$out"
    [ -s "$root/build/labs/$lab/kits" ] && [ ! -s "$root/build/labs/$lab/kits.log" ]
    [ $? = 0 ] && pass "$name: the kit's own steps are timed" || fail "$name" "the kit's own steps are not timed" "$root/build/labs/$lab/kits.log"
    ;;
solution)
    grade "$lab" --virtual --solution -v
    expect "$name" 0 "100 of 100 points"
    # What a sample of the blocks can tell is not executed as a whole, which takes seconds.
    case $lab in
    lab8) due="reset leftover" ;;
    lab10) due="blelloch shuffles chained look_back shared per_warp fused" ;;
    *) due= ;;
    esac
    whole=$(awk '/^ *[0-9]+  [a-z0-9_]+ +[0-9]+\/[0-9]+/ { stage = $2 } $1 == "largest_blocks" { most = $2 }
        $1 == "executed_blocks" && $2 == most && most > 1000 { print stage }' "$out")
    [ "$(echo $whole)" = "$due" ] && pass "$name: samples" || fail "$name" "executed as a whole: $(echo $whole); should be: $due" "$out"
    ;;
json)
    grade "$lab" --virtual --solution --stage 2 --json
    expect "$name" 0 "\"lab\":\"$lab\",\"points\":" '"status":"graded"'
    ! command -v python3 >/dev/null || python3 -m json.tool <"$out" >/dev/null 2>&1
    [ $? = 0 ] && pass "$name: python reads it" || fail "$name" "python cannot read it" "$out"
    ;;
*) fail "$name" "there is no such case" ;;
esac
exit 0
