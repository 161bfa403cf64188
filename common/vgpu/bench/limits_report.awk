# limits_report.awk - Nsight Compute's limiters beside the virtual GPU's: awk [-v check=1] -f limits_report.awk H200_CSV VIRTUAL_CSV
# Writes limits.md; with check, lines of a test instead. The rule that made the first file is in limits.awk, whose names of kernels
# these are; the second has them as c++filt writes them.
function name(text)
{
    sub(/^void /, "", text)
    sub(/\(.*/, "", text)
    gsub(/, /, " ", text)
    gsub(/true/, "1", text)
    gsub(/false/, "0", text)
    while (match(text, /[0-9]u[> ]/))
        text = substr(text, 1, RSTART) substr(text, RSTART + 2)
    return text
}
# The two busiest units of a row of the first file.
function busiest(    i, j, best, used, text)
{
    for (i = 1; i <= 2; i++) {
        best = 0
        for (j = first_unit; j <= columns; j++)
            if (!(j in used) && $j != "" && (!best || $j + 0 > $best + 0))
                best = j
        used[best] = 1
        text = text (i > 1 ? ", " : "") title[best] " " $best
    }
    return text
}
BEGIN {
    FS = ","
    least = 0.9 # what differs stands in limits.md
}
/^#/ { gpu = FNR == 1 && NR == 1 ? substr($0, 3) : gpu; next }
FNR == NR && /^program,/ {
    columns = NF
    for (i = 1; i <= NF; i++) {
        title[i] = $i
        first_unit = $i == "time_us" ? i + 1 : first_unit
    }
    next
}
FNR == NR {
    key[++rows] = $1 "," $2 "," $3 "," $4
    limiter[rows] = $5
    other[rows] = $6
    stall[rows] = $7
    time_us[rows] = $9
    figures[rows] = busiest()
    next
}
{
    at = $1 "," name($2) "," $3 "," $4
    if (!(at in virtual)) {
        virtual[at] = $5
        virtual_us[at] = $6
        virtual_busy[at] = $7
    }
}
# As for Nsight Compute, figures that are less than 5 points apart decide nothing: the name that the virtual GPU could have given as
# well, of its second unit, or, near the 70 % from which on it speaks of a unit, of the unit instead of the wait. "": none.
function second(at,    part, n)
{
    n = split(virtual_busy[at], part, " ")
    if (virtual[at] == part[1] && n >= 4 && part[2] - part[4] < 5)
        return part[3]
    return virtual[at] != part[1] && part[2] > 65 && part[2] < 70 ? part[1] : ""
}
function is_one_of(word, row) { return word != "" && (word == limiter[row] || word == other[row]) }
function verdict(row,    ours)
{
    ours = virtual[key[row]]
    return ours == limiter[row] ? "yes" : is_one_of(ours, row) || is_one_of(second(key[row]), row) ? "within 5 points" : "no"
}
function print_row(row,    part, busy)
{
    split(key[row], part, ",")
    busy = virtual_busy[key[row]]
    printf "| %s | `%s` | %s | %.1f | %.1f | %s%s | %s; %s | %s | %s | %s |\n", part[1], part[2], part[3], time_us[row], \
        virtual_us[key[row]], limiter[row], other[row] == "" ? "" : " or " other[row], figures[row], stall[row], \
        virtual[key[row]], busy, verdict(row)
}
function print_report(    i)
{
    print "# What limits the labs' kernels: Nsight Compute on a GPU, and the virtual GPU\n"
    print "`make limits` writes this; the rule that turns Nsight Compute's figures into one word is in `limits.awk`, its figures are in"
    print "`h200/limits.csv` (" gpu "). Each kernel that was recorded stands here once, at the size that is timed.\n"
    print "| kernels | the same | within 5 points | agree | differ |"
    print "|---|---|---|---|---|"
    printf "| %d | %d | %d | %.0f %% | %d |\n\n", compared, same, near, 100 * (same + near) / compared, compared - same - near
    if (missing)
        printf "Not compared, since the virtual GPU did not run them at that size: %d.\n\n", missing
    print "Figures are per cent of a unit's peak, the two busiest units; behind them, what warps are stalled by most. The virtual GPU's peaks"
    print "are those that an H200 reaches: its DRAM is at 100 where Nsight Compute says 77 to 91.\n"
    print "| lab | kernel | grid | us | virtual us | Nsight Compute | its figures | virtual | its figures | agree |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= rows; i++)
        if (key[i] in virtual)
            print_row(i)
}
function print_check(    i)
{
    for (i = 1; i <= rows; i++)
        if (key[i] in virtual && verdict(i) == "no")
            print key[i] ": Nsight Compute says " limiter[i] (other[i] == "" ? "" : " or " other[i]) ", the virtual GPU " virtual[key[i]]
    if (same + near < least * compared || compared < 20)
        printf "FAIL %d of %d kernels agree, where %.0f %% of at least 20 are asked for\n0 passed, 1 failed\n", same + near, compared, 100 * least
    else
        printf "%d of %d kernels agree\n1 passed, 0 failed\n", same + near, compared
}
END {
    for (i = 1; i <= rows; i++) {
        if (!(key[i] in virtual)) {
            missing++
            continue
        }
        compared++
        same += verdict(i) == "yes"
        near += verdict(i) == "within 5 points"
    }
    if (check)
        print_check()
    else
        print_report()
    exit check && (same + near < least * compared || compared < 20)
}
