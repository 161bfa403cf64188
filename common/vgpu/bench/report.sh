#!/bin/sh
# report.sh - writes model-report.md: report.sh BUILD_DIR [--check]
# Runs the lectures' steps on the virtual GPU as an H200, and sets their times and those of all labs' stages, which make has
# let `./grade check` find out, beside those in h200/. With --check, a bar that is missed ends with 1; what cannot be run ends with 2.
build=$1
check=$2
here=$(cd "$(dirname "$0")" && pwd)
out=$build/bench/model
mkdir -p "$out" || exit 2

fail() {
    echo "model-report: $*" >&2
    exit 2
}

VGPU_GPU=h200 VGPU_EXECUTE=sample "$build/bench/steps" -r 1 -w 1 >"$out/steps.csv" 2>"$out/steps.log" ||
    fail "the steps cannot be timed, see $out/steps.log"
for lab in $(cut -d , -f 1 "$here/h200/labs.csv" | grep '^lab[0-9]' | uniq); do
    cat "$build/test/check/$lab.json" || fail "make has not checked $lab"
done >"$out/labs.json" || exit 2
awk -f "$here/../../base/json.awk" -f "$here/labs.awk" "$out/labs.json" >"$out/labs.csv"
{
    "$build/bench/steps" -l
    grep -v '^#' "$here/open.csv"
} >"$out/list.csv"
awk -v check="${check:+1}" -f "$here/report.awk" "$here/h200/steps.csv" "$out/steps.csv" "$here/h200/labs.csv" \
    "$out/labs.csv" "$out/list.csv" "$here/reasons.csv" >"$out/model-report.md"
status=$?
[ $status -le 1 ] || fail "the tables do not fit together"
sed -n '/^| figure/,/^$/p; /^| families/,/^$/p' "$out/model-report.md"
if [ "$check" ]; then
    sed -n '/^## In the wrong order/,/^## /p' "$out/model-report.md"
    awk -F '|' '/ MISSED /{ print "FAIL" $2 "is" $3 "where" $4 "is asked for"; failed++ } / met /{ passed++ }
        / NO REASON /{ print "FAIL" $2 "," $3 "is further off than it should be, and reasons.csv does not say why"; failed++ }
        END { printf "%d passed, %d failed\n", passed, failed }' "$out/model-report.md"
    exit $status
fi
cp "$out/model-report.md" "$here/model-report.md" || exit 2
