# explained.awk - compares what ./grade explain says with the rows of explained/labN.txt:
#   awk -v lab=lab3 -v headers=FOLDER -v limits=limits.csv -v words=words.txt -v differences=differences.txt \
#       -f explained.awk ROWS REPORT
# ROWS are rows of explained/labN.txt, each with its stage and a blank before it. Says "pass ..." or "FAIL ..." for each.
function trim(text) { gsub(/^ +| +$/, "", text); return text }
function cut_row(text, part,    n, i)
{
    n = split(text, part, / [|] /)
    for (i = 1; i <= n; i++)
        part[i] = trim(part[i])
    return n
}
function read_tables(    line, part)
{
    while ((getline line <words) > 0)
        if (line !~ /^#/ && cut_row(line, part) == 2)
            words_of[part[1]] = part[2]
    while ((getline line <limits) > 0)
        if (line ~ /^lab/) {
            split(line, part, ",")
            on_gpu[part[1] " " part[2]] = part[5] (part[6] == "" ? "" : " or " part[6])
        }
    while ((getline line <differences) > 0)
        if (line !~ /^#/ && cut_row(line, part) == 3)
            known[part[1]] = part[2] " | " part[3]
}
# The numbers of the lines of a header that have a text, as " 12 40 ". It is the lab's, or one that all labs have.
function lines_with(file, text,    path, line, n, found)
{
    path = headers "/" file
    if ((getline line <path) < 0)
        path = headers "/../../common/lab/" file
    close(path)
    while ((getline line <path) > 0) {
        n++
        if (index(line, text))
            found = found " " n
    }
    close(path)
    return found " "
}
# ---- the report: of each stage its words, and its most expensive lines with what stands below each ----
function take_line(    text)
{
    text = $0
    if (text ~ /^lab[0-9]+\.[0-9]+  [a-z_0-9]+:/) {
        stage = $2
        sub(/:$/, "", stage)
        said[stage] = " "
        nlines[stage] = 0
        is_in_lines = 0
    }
    nwords[stage]++
    if (length(text) > 80)
        wide[stage] = text
    said[stage] = said[stage] trim(text) " "
    if (text ~ /most expensive lines/)
        is_in_lines = 1
    else if (is_in_lines && text ~ /^ +[0-9]+ +[0-9]+ %  /) {
        number[stage, ++nlines[stage]] = $1
        sub(/^ +[0-9]+ +[0-9]+ %  /, "", text)
        source[stage, nlines[stage]] = text
        below[stage, nlines[stage]] = ""
    } else if (is_in_lines && text ~ /^               /)
        below[stage, nlines[stage]] = below[stage, nlines[stage]] " " trim(text)
    else
        is_in_lines = 0
}
function limit_said(stage,    name, found)
{
    for (name in words_of)
        if (index(said[stage], "Limited by " words_of[name]))
            found = name
    return found == "" ? "nothing that has a name" : found
}
# The most expensive line that has a text, or that of a header: "work.h: text". 0: none.
function find_line(stage, text,    i, file, numbers)
{
    if (match(text, /^[a-z0-9]+[.]h: /)) {
        file = substr(text, 1, RLENGTH - 2)
        numbers = lines_with(file, substr(text, RLENGTH + 1))
    }
    for (i = 1; i <= nlines[stage]; i++)
        if (file == "" ? index(source[stage, i], text) == 1 : \
            index(source[stage, i] " ", file ":" number[stage, i] " ") == 1 && index(numbers, " " number[stage, i] " "))
            return i
    return 0
}
function wanted_limit(text)
{
    if (text ~ /^h200 /)
        text = lab " " substr(text, 6)
    else if (text ~ /^like /)
        text = substr(text, 6)
    else
        return text
    return text in on_gpu ? on_gpu[text] : "?"
}
function wrong_kernel(stage, text)
{
    if (text !~ /^h200 /)
        return ""
    sub(/^h200 /, "", text)
    sub(/<.*/, "", text)
    return index(said[stage], " Kernel " text ", ") ? "" : "it is not about the kernel " text
}
# What is wrong with the limit; a difference that is known is not.
function wrong_limit(case, wants, says,    agrees)
{
    agrees = index(" or " wants " or ", " or " says " or ")
    if (wants == "?")
        return "limits.csv has no such kernel"
    if (agrees && known[case] ~ /^[a-z0-9]+( or [a-z0-9]+)? [|] [a-z0-9]+$/)
        return "it says " says ", as it should: take the row out of differences.txt"
    if (!agrees && known[case] != wants " | " says)
        return "it is limited by " wants ", and explain says " says
    return ""
}
# What is wrong with a line. Another one in its place may be known.
function wrong_line(case, stage, text,    pair)
{
    place = find_line(stage, text)
    if (split(known[case], pair, / [|] /) < 2 || pair[1] != text)
        return place ? "" : "this is none of the most expensive lines: " text
    if (place)
        return "it is among the most expensive lines, as it should: take the row out of differences.txt"
    return find_line(stage, pair[2]) ? "" : "this is none of the most expensive lines either: " pair[2]
}
function wrong_part(case, stage, text)
{
    if (text ~ /^says /)
        return index(said[stage], substr(text, 6)) ? "" : "it does not say \"" substr(text, 6) "\""
    if (text ~ /^worst /)
        return said[stage] ~ ("The worst access, line [0-9]+: a " substr(text, 7)) ? "" : "the worst access is no " substr(text, 7)
    if (text ~ /^(global|shared|local|constant) (load|store|atomic)|of 32 lanes/)
        return index(below[stage, place], text) ? "" : "below line " number[stage, place] " there is no \"" text "\""
    return wrong_line(case, stage, text)
}
function wrong_row(case, stage, part, n,    i, wrong)
{
    if (!(stage in said))
        return "there is no report on " stage
    if (stage in wide)
        return "a line of more than 80 columns: " wide[stage]
    if (nwords[stage] > 45)
        return "more than a screen or two: " nwords[stage] " lines"
    wrong = wrong_kernel(stage, part[2])
    if (wrong == "")
        wrong = wrong_limit(case, wanted_limit(part[2]), limit_said(stage))
    for (i = 3; i <= n && wrong == ""; i++)
        wrong = wrong_part(case, stage, part[i])
    return wrong
}
BEGIN { read_tables() }
FNR == NR { rows[++nrows] = $0; next }
{ take_line() }
END {
    for (r = 1; r <= nrows; r++) {
        stage = substr(rows[r], 1, index(rows[r], " ") - 1)
        n = cut_row(substr(rows[r], index(rows[r], " ") + 1), part)
        case = lab " " part[1]
        wrong = wrong_row(case, stage, part, n)
        print wrong == "" ? "pass " case : "FAIL " case ": " wrong
    }
}
