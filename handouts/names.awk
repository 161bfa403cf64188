# names.awk - what texts name in code: awk -f names.awk FILE.md...
# A row for each: kind, place, name. path: a file of the kit; make: a target; stage: LAB STAGE; option: of ./grade and of a lab's
# program; word: an identifier. Lab 99 is the example of new-lab.md, and needs not exist.
function row(kind, name) { if (name !~ /[lL][aA][bB]_?99/) print kind "\t" FILENAME ":" FNR "\t" name }
function commands(text,   n, part, i, word, count, k) {
    n = split(text, part, / *(&&|;) */)
    for (i = 1; i <= n; i++) {
        sub(/^([A-Z_]+=[^ ]+ +)+/, "", part[i])
        sub(/  .*/, "", part[i]) # what a table of commands says about this one
        count = split(part[i], word, / +/)
        if (word[1] == "make" && word[2] ~ /^[a-z]/ && word[2] !~ /NAME/) row("make", word[2])
        if (word[1] == "./grade" || word[1] ~ /^build\/lab[0-9]+$/) options(part[i])
        if (word[1] ~ /^build\/lab[0-9]+$/) {
            sub(/^build\//, "", word[1])
            row("lab", word[1])
            for (k = 2; k <= count && word[k] ~ /^[a-z]/; k++) row("stage", word[1] "," word[k])
        }
        if (word[1] == "./grade")
            for (k = 2; k <= count; k++) {
                if (word[k] ~ /^lab[0-9]+$/) row("lab", word[k])
                if (word[k] ~ /^lab[0-9]+[.][a-z0-9_]+$/) { sub(/[.]/, ",", word[k]); row("stage", word[k]) }
            }
    }
}
function options(text,   option) {
    while (match(text, /(^| )--[a-z][a-z-]+/)) {
        option = substr(text, RSTART, RLENGTH)
        sub(/^ /, "", option)
        row("option", option)
        text = substr(text, RSTART + RLENGTH)
    }
}
function span(text) {
    if (text ~ /^(labs|solutions|handouts|common|grader)\/[^ ]*$/) { if (text !~ /NAME/) row("path", text) }
    else if (text ~ /^[A-Za-z_][A-Za-z0-9_]*(\(\))?$/) { sub(/\(\)$/, "", text); row("word", text) }
    else if (text ~ /^[a-z0-9]+__[a-z0-9_.]+$/) row("metric", text)
    else if (text ~ /^--[a-z]/) options(text)
    else commands(text)
}
FNR == 1 { is_fenced = 0 }
/^ *```/ { is_fenced = !is_fenced; next }
is_fenced || /^    / { text = $0; sub(/^ */, "", text); commands(text); next }
{
    text = $0
    while (match(text, /`[^`]+`/)) {
        code = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        span(code)
    }
}
