#!/bin/sh
# run.sh - compares ratios of modelled times with those that an H200 took: run.sh PROGRAM MEASURED.csv
# PROGRAM is bench/micro; ratios.txt says what is compared and how closely. One line for each ratio: measured, modelled,
# how far apart; then what failed. It judges ratios only, no single time.
here=$(dirname "$0")
program=$1 measured=$2
lines=$(mktemp) || exit 2
trap 'rm -f "$lines"' EXIT
# The groups that show behaviours; the others give figures for profiles.
if ! VGPU_GPU=h200 VGPU_EXECUTE=sample "$program" -r 1 $("$program" -l | grep -v '^param') >"$lines"; then
    echo "FAIL behaviour: the program failed"
    echo "0 passed, 1 failed"
    exit 1
fi
awk -v lines_file="$lines" -v measured_file="$measured" '
function fail(text) { failures[++failed] = text }
function apart(modelled, measured) { return modelled / measured - 1 }
function magnitude(x) { return x < 0 ? -x : x }
function is_contrary(modelled, measured) {
    return measured > 1.1 && modelled <= 1 || measured < 1 / 1.1 && modelled >= 1
}
function judge(name, base, tolerance,    want, got, off, verdict) {
    want = measured[name] / measured[base]
    got = modelled[name] / modelled[base]
    off = apart(got, want)
    verdict = is_contrary(got, want) ? "contrary" : magnitude(off) > tolerance ? "far" : "ok"
    printf "%-32s / %-30s %8.3f %8.3f %+6.0f %%  %s\n", name, base, want, got, 100 * off, verdict
    if (verdict == "ok") passed++
    else fail(name " / " base ": an H200 has " sprintf("%.3f, the model %.3f", want, got))
}
function check_named(name) {
    if (name !~ /^param/ && unit[name] == "us" && !(name in named)) fail(name ": no row of ratios.txt names it")
}
BEGIN {
    while ((getline line < measured_file) > 0)
        if (line !~ /^#|^name,/ && split(line, part, ",") == 3) { measured[part[1]] = part[2]; unit[part[1]] = part[3] }
    while ((getline line < lines_file) > 0)
        if (split(line, part, " ") == 3) modelled[part[1]] = part[2]
    printf "%-32s   %-30s %8s %8s %8s\n", "time", "over time", "H200", "model", "apart"
}
/^#/ || NF == 0 { next }
{
    named[$1] = named[$2] = 1
    if (!(measured[$1] > 0 && measured[$2] > 0)) { fail($1 " / " $2 ": not measured"); next }
    if (!(modelled[$1] > 0 && modelled[$2] > 0)) { fail($1 " / " $2 ": not modelled"); next }
    if (NF > 2 && NF < 5) { fail($1 " / " $2 ": a tolerance needs its reason"); next }
    judge($1, $2, NF > 2 ? $3 : 0.3)
}
END {
    for (name in unit) check_named(name)
    for (i = 1; i <= failed; i++) print "FAIL " failures[i]
    printf "%d passed, %d failed\n", passed, failed
    exit failed != 0 || passed == 0
}' "$here/ratios.txt"
