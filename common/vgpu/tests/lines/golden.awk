# golden.awk - Nsight Compute's source page becomes golden.csv: awk -f golden.awk SOURCE_PAGE.csv
# The page: ncu --section SourceCounters --page source --csv --print-source cuda,sass (record.sh). It has a table for each
# launch and each source file of it. A row with a line number sums the rows of machine instructions below it; these come
# twice, before and after "...". Inlined code stands at its own line and, in part, at the line of the call as well; a function
# of a header also in that header's table. So each machine instruction is counted once, by its address: at the first line of
# the program's own file that lists it, which is the innermost, since a function stands above those that call it.
# Rows: kernel#n, line, machine instructions, sectors of global memory, wavefronts of shared memory, lanes of the accesses to
# global, shared and local memory (those that the instruction's predicate leaves). Lines without any of these are there too:
# the instructions of all lines are those of the launch.
BEGIN { FS = "\",\"" }
function unquoted(text) { gsub(/"/, "", text); return text }
function is_access(code) { return code ~ /(LD|ST)[GSL][. ]|LDGSTS|ATOM[SG]?[. ]|RED[SG]?[. ]/ }
function value(name) { return name in column ? $column[name] + 0 : 0 }
function print_launch(    i)
{
    for (i = 1; i <= nlines; i++)
        print launch "," lines[i] "," instructions[lines[i]] "," sectors[lines[i]] + 0 "," wavefronts[lines[i]] + 0 "," \
            lanes[lines[i]] + 0
    nlines = 0
    split("", counted)
    split("", instructions)
    split("", sectors)
    split("", wavefronts)
    split("", lanes)
}
/^"File Path"/ { is_own = unquoted($2) ~ /\.cu$/ }
/^"Function Name"/ && is_own {
    print_launch()
    name = unquoted($2)
    launch = name "#" seen[name]++ + 0
}
/^"Line No"/ {
    split("", column)
    for (i = NF; i > 0; i--)
        column[unquoted($i)] = i
}
!is_own { next }
/^"[0-9]/ { line = unquoted($1) }
/^"","","0x/ && !($3 in counted) {
    counted[$3] = 1
    if (!(line in instructions))
        lines[++nlines] = line
    instructions[line] += value("Instructions Executed")
    sectors[line] += value("L2 Theoretical Sectors Global")
    wavefronts[line] += value("L1 Wavefronts Shared")
    if (is_access($4))
        lanes[line] += value("Predicated-On Thread Instructions Executed")
}
END { print_launch() }
