# compare.awk - the virtual GPU's counters of each source line beside those of a real one:
#   awk -v exceptions=FILE -f compare.awk COUNTERS_JSON LINES_GOLDEN COUNTERS_GOLDEN
# A line's sectors, wavefronts and lanes must be equal. Instructions are not compared: a GPU counts those of machine code, the
# virtual GPU those of PTX. On both sides the lines must sum up to the launch: the virtual GPU's in every counter that is known
# by line, the GPU's to what its own counters had in counters/golden.csv, which were recorded apart from these.
BEGIN {
    columns = split("sectors wavefronts lanes", column, " ")
    parts["sectors"] = "global_load_sectors global_store_sectors global_atomic_sectors"
    parts["wavefronts"] = "shared_load_wavefronts shared_store_wavefronts shared_atomic_wavefronts"
    parts["lanes"] = "access_lanes"
    parts["instructions"] = "warp_instructions"
    split("l2_sectors dram_read_bytes dram_write_bytes machine_instructions", whole, " ")
    for (i in whole)
        is_whole[whole[i]] = 1
    while ((getline text < exceptions) > 0)
        if (text !~ /^#/ && split(text, word, " +") > 3)
            except[word[1] "," word[2] "," word[3]] = "unused"
}
function fail(text) { failed++; print "FAIL " text }
function count(text, key) { return match(text, "\"" key "\":[0-9]+") ? substr(text, RSTART + length(key) + 3) + 0 : 0 }
function sum_of(text, what,    key, n, i, sum)
{
    n = split(parts[what], key, " ")
    for (i = 1; i <= n; i++)
        sum += count(text, key[i])
    return sum + 0
}
# Adds up every "name":number of one line.
function add_counters(text,    pair)
{
    while (match(text, /"[a-z0-9_]+":[0-9]+/)) {
        split(substr(text, RSTART + 1, RLENGTH - 1), pair, "\":")
        sums[pair[1]] += pair[2]
        text = substr(text, RSTART + RLENGTH)
    }
}
function check_sums(launch, text,    pair)
{
    while (match(text, /"[a-z0-9_]+(instructions|requests|sectors|wavefronts|lanes|words|bytes|branches|barriers|conflicts)":[0-9]+/)) {
        split(substr(text, RSTART + 1, RLENGTH - 1), pair, "\":")
        text = substr(text, RSTART + RLENGTH)
        if (pair[1] in is_whole)
            continue
        if (sums[pair[1]] + 0 == pair[2]) passed++
        else fail(launch " " pair[1] ": the lines have " sums[pair[1]] + 0 ", the launch " pair[2])
    }
}
# ---- the virtual GPU's file: a launch per line ----
FILENAME == ARGV[1] {
    match($0, /"kernel":"[^"]*"/)
    name = substr($0, RSTART + 10, RLENGTH - 11)
    launch = name "#" seen[name]++ + 0
    begin = index($0, "\"lines\":[")
    n = split(substr($0, begin), line, "},{")
    split("", sums)
    for (i = 1; i <= n; i++) {
        add_counters(line[i])
        at = launch "," count(line[i], "line")
        is_virtual[at] = 1
        for (c = 1; c <= columns; c++)
            virtual[at "," column[c]] += sum_of(line[i], column[c])
    }
    check_sums(launch, substr($0, 1, begin - 1))
    next
}
/^#/ || /^kernel,/ { next }
# ---- what Nsight Compute says of each line ----
FILENAME == ARGV[2] {
    split($0, row, ",")
    at = row[1] "," row[2]
    is_golden[at] = 1
    is_launch[row[1]] = 1
    total[row[1] ",instructions"] += row[3]
    is_equal = 1
    for (c = 1; c <= columns; c++) {
        total[row[1] "," column[c]] += row[3 + c]
        key = at "," column[c]
        is_same = virtual[key] + 0 == row[3 + c] + 0
        if (key in except) except[key] = is_same ? "unused" : "used"
        else if (is_same) passed++
        else fail(row[1] ", line " row[2] ": a GPU has " row[3 + c] " " column[c] ", the virtual GPU " virtual[key] + 0)
        is_equal = is_equal && is_same
    }
    if (row[4] + row[5] + row[6]) {
        accesses++
        equal += is_equal
    }
    next
}
# ---- what it says of each launch ----
{
    split($0, row, ",")
    for (what in parts)
        if (index(" " parts[what] " ", " " row[2] " "))
            golden[row[1] "," what] += row[3]
}
# An exception of the source counters themselves shows in the sum as well.
function is_excepted(launch, what,    key)
{
    for (key in except)
        if (index(key, launch ",") == 1 && key ~ "," what "$")
            return 1
    return 0
}
function check_golden(    key, word)
{
    for (key in golden) {
        split(key, word, ",")
        if (total[key] + 0 == golden[key]) passed++
        else if (is_excepted(word[1], word[2])) continue
        else fail(word[1] " " word[2] ": golden.csv has " total[key] + 0 " in its lines, the launch " golden[key])
    }
}
END {
    for (key in except)
        if (except[key] == "unused")
            fail(key ": exceptions.txt has it, but both GPUs agree")
    for (at in is_virtual)
        for (c = 1; c <= columns; c++)
            if (!(at in is_golden) && virtual[at "," column[c]])
                fail(at ": the virtual GPU has " virtual[at "," column[c]] " " column[c] ", a GPU nothing")
    check_golden()
    for (launch in is_launch)
        launches++
    printf "%d of %d lines with accesses are equal, in %d launches\n", equal, accesses, launches
    printf "%d passed, %d failed\n", passed, failed
    exit failed != 0 || !accesses
}
