# bench.awk - the rows of `make bench` as one table, in Markdown whose columns are also straight on a terminal. A speedup is the time of
# the kernel named under "over", measured beside the stage, divided by the time of the stage.
function number(value) {
    return value == "" ? "-" : value >= 1000 ? sprintf("%.0f", value) : sprintf("%.3g", value)
}
function share(part, whole) {
    return part == "" || whole == "" ? "-" : sprintf("%.0f %% of ", 100 * part / whole)
}
function cell(column, text) {
    cells[rows, column] = text
    if (length(text) > width[column])
        width[column] = length(text)
}
function put_row(row,   i, line) {
    line = "|"
    for (i = 1; i <= columns; i++)
        line = line sprintf(i <= 2 ? " %-" width[i] "s |" : " %" width[i] "s |", cells[row, i])
    print line
}
BEGIN {
    FS = ","
    columns = split("lab|stage|time, us|rate|of the ceiling|of a library|over|its time, us|speedup|needs", heading, "|")
    rows = 1
    for (i = 1; i <= columns; i++)
        cell(i, heading[i])
    ceilings["copy"] = "a copy"; ceilings["FMA"] = "the FMA peak"
}
/^# / { notes[++nnotes] = substr($0, 3); next }
$1 == "lab" { next }
{
    rows++
    cell(1, $1)
    cell(2, $2 ($3 == "" ? "" : " (" $3 ")"))
    cell(3, number($6))
    cell(4, $7 == "" ? "-" : number($7) " " $8)
    cell(5, $10 == "" ? "-" : share($7, $10) ceilings[$9])
    cell(6, $12 == "" ? "-" : share($12, $6) $11)
    cell(7, $4 == "" ? "-" : $4)
    cell(8, number($5))
    cell(9, $5 == "" || $6 == "" ? "-" : $5 < 0.095 * $6 ? sprintf("1/%.0f", $6 / $5) : sprintf("%.2f", $5 / $6))
    cell(10, $13 == "" ? "-" : sprintf("%.2f", $13))
    if ($9 != "" && $10 != "" && !($9 in seen)) {
        seen[$9] = 1
        notes[++nnotes] = ceilings[$9] ": " number($10) " " $8
    }
}
END {
    print "# Every stage on " notes[1] "\n"
    for (i = 2; i <= nnotes; i++)
        print "- " notes[i]
    print ""
    put_row(1)
    line = "|"
    for (i = 1; i <= columns; i++)
        line = line (i <= 2 ? "---|" : "---:|")
    print line
    for (row = 2; row <= rows; row++)
        put_row(row)
}
