#!/bin/sh
# honest.sh - other ways of doing a step, which must earn what they deserve: honest.sh FOLDER
# Each grader/tests/honest/labN/NAME.cu holds one stage, named in its first lines with the points that it must get
# ("// stage: ID", "// points: N"). FOLDER takes the reports; JOBS submissions are graded at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if [ "$1" = --one ]; then
    lab=$(basename "$(dirname "$2")") name=$(basename "$2" .cu)
    stage=$(sed -n 's|^// stage: ||p' "$2") points=$(sed -n 's|^// points: ||p' "$2")
    "$root/grade" "$lab" --virtual --stage "$stage" --file "$2" >"$3/$lab-$name.report" 2>&1 </dev/null
    grep -qE "^ *[0-9]+ +$stage +$points/[0-9]+ +right, clean" "$3/$lab-$name.report" || echo "$points points" >"$3/$lab-$name.wanted"
    exit 0
fi

folder=$1
rm -rf "$folder"
mkdir -p "$folder"
passed=0 failed=0
for lab in "$here"/honest/*; do # what many want is built by one
    "$root/grade" "$(basename "$lab")" --virtual --solution >/dev/null 2>&1
done
find "$here/honest" -name '*.cu' | sort | xargs -P "${JOBS:-1}" -I FILE sh "$0" --one FILE "$folder"
for report in "$folder"/*.report; do
    name=$(basename "$report" .report)
    if [ -e "$folder/$name.wanted" ]; then
        failed=$((failed + 1))
        echo "FAIL $name: it deserves $(cat "$folder/$name.wanted")"
        sed 's/^/    /' "$report"
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 12 ]
