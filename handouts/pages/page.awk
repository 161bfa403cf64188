# page.awk - the template of one page, with style, navigation and neighbours: awk -v page=NAME -f page.awk LIST STYLE TEMPLATE
# LIST has rows group|source|name|title, in the order in which pages are read. The page's own sections stand below its name. Pages for
# students list each other alone, with one link to where the others begin.
function show(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }
function link(i, rest) { return "<a href=\"" name[i] ".html\"" rest ">" show(title[i]) "</a>" }
function is_for_students(i) { return group[i] == "Start" || group[i] == "Labs" }
function navigation(   i, last, text) {
    for (i = 1; i <= count; i++) {
        if (here && is_for_students(here) && !is_for_students(i)) {
            text = text "</ul>\n<p class=\"group\">Teaching</p>\n<ul>\n<li>" link(i) "</li>\n"
            break
        }
        if (group[i] != last)
            text = text (last ? "</ul>\n" : "") "<p class=\"group\">" group[i] "</p>\n<ul>\n"
        last = group[i]
        text = text "<li>" (i == here ? link(i, " aria-current=\"page\"") "\n$toc$" : link(i)) "</li>\n"
    }
    return text "</ul>"
}
FNR == 1 { file++ }
file == 1 {
    split($0, cell, "|")
    group[++count] = cell[1]; name[count] = cell[3]; title[count] = cell[4]
    if (cell[3] == page) { here = count; has_pdf = cell[2] ~ /^handouts\// }
}
file == 2 { style = style $0 "\n" }
file == 3 && /^@style@/ { printf "%s", style; next }
file == 3 && /^@nav@/ { print navigation(); next }
file == 3 && /^@pdf@/ {
    if (has_pdf) print "<a class=\"pdf\" href=\"" page ".pdf\">PDF</a>"
    next
}
file == 3 && /^@ends@/ {
    if (here > 1 && is_for_students(here) == is_for_students(here - 1)) print link(here - 1, " rel=\"prev\"")
    if (here < count && is_for_students(here) == is_for_students(here + 1)) print link(here + 1, " rel=\"next\"")
    next
}
file == 3 { print }
