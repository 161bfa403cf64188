#!/bin/sh
# compare.sh - holds rows of random_rows against others: compare.sh GOLDEN ROWS
# Words and uniform numbers must be the same to the bit, all of them: their sums tell. Normal ones come from functions that a GPU
# approximates: those shown may differ by 1e-5 as floats and 1e-12 as doubles.
awk '
function key() { return $1 " " $2 " " $3 " " $4 " " $5 " " $6 }
function size(x) { return x < 0 ? -x : x }
function is_near(want, got, limit) { return size(want - got) <= limit * (size(want) > 1 ? size(want) : 1) }
function why(values, count,    i) {
    if (count != NF) return count - 8 " numbers are wanted, here are " NF - 8
    if (values[7] != $7) return "status " $7 ", should be " values[7]
    if ($3 !~ /normal/) return values[8] == $8 ? "" : "not the same numbers"
    for (i = 9; i <= NF; i++)
        if (!is_near(values[i], $i, $3 ~ /double/ ? 1e-12 : 1e-5)) return "value " i - 9 " is " $i ", should be near " values[i]
    return ""
}
/^#/ { next }
FNR == NR { golden[key()] = $0; wanted++; next }
{
    told = key() in golden ? why(values, split(golden[key()], values, " ")) : "no such row was recorded"
    if (told == "") { passed++; print "pass " key() }
    else { failed++; print "FAIL " key() ": " told }
}
END {
    if (passed + failed < wanted) { failed++; print "FAIL rows: " wanted " are wanted, here are " passed + failed - 1 }
    printf "%d passed, %d failed\n", passed, failed
    exit failed != 0 || passed == 0
}' "$1" "$2"
