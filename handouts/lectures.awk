# lectures.awk - the tables of lectures and labs: awk -f lectures.awk STAGES LECTURES HANDOUT... >tables
# STAGES has a row LAB,STAGE for every stage there is; LECTURES is lectures.txt; of the handouts the headings are read, for links.
# Faults go to stderr, and end it with 1.
function fault(text) { print "lectures.txt: " text | "cat >&2"; status = 1 }
function anchor(heading) {
    heading = tolower(heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
function trim(text) { gsub(/^ +| +$/, "", text); return text }
# One place of a step, as Markdown; "" if its lab is not there. What is refused has its reason in place of one.
function place(text, step,   n, word, part, i, stages, file, lab) {
    if (text ~ /^not taken:/) {
        if (text !~ /^not taken: ./) fault(step " (" what ") is not taken, and does not say why")
        return text
    }
    if (text !~ /^lab[0-9]+[.]/) {
        file = text
        sub(/#.*/, "", file)
        if (!(file in title)) fault(step " names " file ", which is not there")
        if (text ~ /#/ && !(text in is_heading)) fault(step " names " text ", and there is no such heading")
        return "[" (text ~ /#/ ? title_of[text] : title[file]) "](" text ")"
    }
    n = split(text, word, / +/)
    split(word[1], part, /[.]/)
    lab = part[1]
    if (!(lab in is_lab)) return ""
    if (!((lab, part[2]) in section)) fault(step " names section " part[2] " of " lab ", which is not there")
    for (i = 2; i <= n; i++) {
        if (!((lab, word[i]) in is_stage)) fault(step " names stage " word[i] " of " lab ", which is not there")
        if (step != last[lab, word[i]]) from[lab, word[i]] = from[lab, word[i]] (from[lab, word[i]] ? ", " : "") step
        last[lab, word[i]] = step
        stages = stages (i > 2 ? ", " : " ") "`" word[i] "`"
        target[lab, word[i]] = section[lab, part[2]]
    }
    if (n == 1) return "[" title_of[section[lab, part[2]]] "](" section[lab, part[2]] ")"
    return "[" lab stages "](" section[lab, part[2]] ")"
}
FNR == 1 { file++ }
file == 1 {
    split($0, cell, ",")
    is_lab[cell[1]] = 1
    is_stage[cell[1], cell[2]] = 1
    lab_of[++stages_count] = cell[1]
    stage_of[stages_count] = cell[2]
}
file == 2 && !/^#/ && NF { lines[++count] = $0 }
file > 2 && FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    lab = name ~ /^lab[0-9]+-/ ? name : ""
    sub(/-.*/, "", lab)
    is_code = 0
}
file > 2 && /^ *```/ { is_code = !is_code }
file > 2 && /^#+ / && !is_code {
    heading = $0
    sub(/^#+ +/, "", heading)
    if (!(name in title)) title[name] = heading
    here = name "#" anchor(heading)
    is_heading[here] = 1
    short = heading
    sub(/^[0-9]+[.] /, "", short)
    sub(/ \(TODO.*/, "", short)
    title_of[here] = (lab ? lab ": " : "") short
    if (lab && match(heading, /^[0-9]+[.]/)) section[lab, substr(heading, 1, RLENGTH - 1)] = here
}
END {
    for (i = 1; i <= count; i++) {
        split(lines[i], cell, "|")
        step = trim(cell[1]); what = trim(cell[2]); places = trim(cell[3])
        if (places == "") {
            print (i > 1 ? "\n" : "") "### " (step == "-" ? "" : step ": ") what "\n\n| step | what | where |\n|---|---|---|"
            continue
        }
        letter = substr(step, 1, 1)
        if (step != "-" && substr(step, 2) != number[letter] + 1) fault(step " does not follow " letter number[letter])
        number[letter] = substr(step, 2)
        where = ""
        n = split(places, each, / *; */)
        for (k = 1; k <= n; k++) {
            text = place(each[k], step)
            if (text != "") where = where (where == "" ? "" : "; ") text
        }
        # What is beyond the lectures comes with its lab.
        if (where == "" && step == "-") continue
        if (where == "") fault(step " (" what ") has no place")
        print "| " step " | " what " | " where " |"
    }
    print "\n### From stages to lectures\n\n| lab | stage | steps |\n|---|---|---|"
    for (i = 1; i <= stages_count; i++) {
        lab = lab_of[i]; stage = stage_of[i]
        if (!((lab, stage) in from)) { fault("no step names stage " stage " of " lab); continue }
        steps = from[lab, stage]
        if (steps == "-") steps = "beyond the lectures"
        sub(/, -$/, "", steps)
        print "| " lab " | [" stage "](" target[lab, stage] ") | " steps " |"
    }
    close("cat >&2")
    exit status
}
