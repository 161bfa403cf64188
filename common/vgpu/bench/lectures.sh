#!/bin/sh
# lectures.sh - compares the profiles with the lectures' published tables: lectures.sh PROGRAM PUBLISHED [--check] > report.md
# PROGRAM is lectures.cu for the virtual GPU. Times are from a sample of blocks. It judges ratios to a table's first row
# (bar: 30 %) and the order of every two rows whose published times differ by more than 10 %. With --check it prints what
# failed instead of the report, and ends with 1 if anything did.
program=$1 published=$2 check=$3
modelled=$(mktemp) || exit 2
trap 'rm -f "$modelled"' EXIT
grep -v '^#' "$published" | tail -n +2 | cut -d, -f1,2 | sort -u | while IFS=, read -r table gpu; do
    VGPU_GPU=$gpu VGPU_EXECUTE=sample "$program" "$table" 2>/dev/null || exit 1
done >"$modelled" || { echo "lectures.sh: $program failed" >&2; exit 1; }
awk -F, -v bar=0.3 -v check="${check:+1}" '
FILENAME == ARGV[1] { model[$1, $2] = $3; next }
/^#/ || $1 == "table" { next }
{
    if (!($1 in count)) tables[++ntables] = $1
    gpu[$1] = $2
    name[$1, ++count[$1]] = $3
    want[$1, count[$1]] = $4
    got[$1, count[$1]] = model[$1, $3]
}
function abs(x) { return x < 0 ? -x : x }
function fail(text) { failures[++failed] = text }
function published(t, i) { return want[t, i] / want[t, 1] }
function modelled(t, i) { return got[t, 1] > 0 ? got[t, i] / got[t, 1] : 0 }
function error_of(t, i) { return modelled(t, i) / published(t, i) - 1 }
function compare_ratios(t,   i) {
    for (i = 2; i <= count[t]; i++) {
        ratios++
        if (abs(error_of(t, i)) <= bar) good++
        else fail(sprintf("%s: %s takes %.2f times as long as %s, where %.2f was published", t, name[t, i],
                          modelled(t, i), name[t, 1], published(t, i)))
    }
}
function print_table(t,   i) {
    printf "\n## %s on %s\n\n", t, gpu[t]
    print "| version | published ms | modelled ms | published ratio | modelled ratio | error |"
    print "|---|---:|---:|---:|---:|---:|"
    for (i = 1; i <= count[t]; i++)
        printf "| %s | %.2f | %.2f | %.2f | %.2f | %s |\n", name[t, i], want[t, i], got[t, i], published(t, i),
               modelled(t, i), (i > 1 ? sprintf("%+.0f %%", 100 * error_of(t, i)) : "")
}
function compare_order(t,   i, j, slow, fast) {
    for (i = 1; i <= count[t]; i++)
        for (j = 1; j <= count[t]; j++) {
            slow = want[t, i]; fast = want[t, j]
            if (slow <= 1.1 * fast) continue
            pairs++
            if (got[t, i] > got[t, j]) ordered++
            else fail(sprintf("%s: %s should be slower than %s", t, name[t, i], name[t, j]))
        }
}
function print_failures(   i) {
    for (i = 1; i <= failed; i++) print "FAIL " failures[i]
    printf "%d passed, %d failed\n", good + ordered, failed
}
function print_report(   k, i) {
    print "# The lectures’ tables, published and modelled"
    print "\nWritten by `make lecture-report`. Ratios are to the first row of each table."
    print "\nWhat differs, and why. The kernels are compute_75 code, the oldest that the compiler still makes: addresses, products"
    print "of integers and merged loads are not what an older compiler made for these chips. Shapes are those of the lectures:"
    print "blocks of 32 x 32 threads, row-major floats; `coarse` is the version with tiles in local memory, one block at 1024 and"
    print "four at 2048. The tables name neither clock, driver nor compiler, and a run or an average may be behind a figure: the"
    print "uncoalesced product takes 6.8 times as long at 2048 as at 1024, where the work is 8 times as much. `library` is cuBLAS"
    print "there and a kernel of our own here. Four figures were fitted to these tables, and say so in their profiles: P100"
    print "l2_write_gbs (naive) and dram_scattered_gbs (padded), GTX 1080 l2_lone_sectors (uncoalesced) and dram_scattered_gbs"
    print "(coarse, 2048). The other figures are published ones or estimates, as each says; both values of dram_gbs"
    print "were chosen from published figures with these tables in view, and l1_queue so that coarse comes out."
    for (k = 1; k <= ntables; k++) print_table(tables[k])
    printf "\n## Summary\n\n- ratios within 30 %%: %d of %d\n- order of pairs that differ by more than 10 %%: %d of %d right\n", good, ratios, ordered, pairs
    for (i = 1; i <= failed; i++) print "- " failures[i]
}
END {
    for (k = 1; k <= ntables; k++) { compare_ratios(tables[k]); compare_order(tables[k]) }
    if (!ratios) fail("nothing is compared")
    if (check) print_failures()
    else print_report()
    exit check && failed
}' "$modelled" "$published"
