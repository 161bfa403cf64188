# expected.awk - one lab's table of speedups to expect, from files of rows: -v lab=lab3 -v hidden="" -v gpus="h200 a100" -v folder=FOLDER.
# FOLDER/measured.csv was recorded on an H200 and may be missing; FOLDER/GPU.csv come from the virtual GPU. A stage's row needs a
# base that is not the stage itself. Estimates have two digits: the model promises no more.
function speedup(value) {
    return value < 0.095 ? sprintf("1/%.0f", 1 / value) : sprintf(value < 0.95 ? "%.2f" : value < 9.95 ? "%.1f" : "%.0f", value)
}
function microseconds(value) { return sprintf(value >= 1000 ? "%.0f" : "%.3g", value) }
function read_rows(name,   file, line, f) {
    file = folder "/" name ".csv"
    while ((getline line < file) > 0) {
        if (split(line, f, ",") != 13 || f[1] != lab)
            continue
        if (f[5] != "" && f[6] != "") {
            ratio[name, f[2]] = f[5] / f[6]
            time[name, f[2]] = f[6]
        }
        if (name == first) {
            stages[++count] = f[2]
            base[f[2]] = f[4]
            need[f[2]] = f[3] == "given" ? "given" : f[13] == "" ? "-" : sprintf("%.2f", f[13])
        }
    }
    close(file)
}
BEGIN {
    names["h200"] = "H200"; names["h100"] = "H100"; names["a100"] = "A100"; names["rtx4090"] = "RTX 4090"; names["t4"] = "T4"
    ngpus = split(gpus, gpu, " ")
    first = gpu[1]
    read_rows("measured")
    for (i = 1; i <= ngpus; i++)
        read_rows(gpu[i])
    for (i = 1; i <= count; i++)
        rows += base[stages[i]] != "" && base[stages[i]] != stages[i]
    if (!rows) {
        print "No stage of this lab is measured against a base."
        exit
    }
    line = "| stage | over | H200, measured | µs |"
    rule = "|---|---|---:|---:|"
    for (i = 1; i <= ngpus; i++) {
        line = line " " (gpu[i] in names ? names[gpu[i]] : gpu[i]) " |"
        rule = rule "---:|"
    }
    print line " needs |\n" rule "---:|"
    for (i = 1; i <= count; i++) {
        s = stages[i]
        if (base[s] == "" || base[s] == s || index(" " hidden " ", " " s " "))
            continue
        line = "| " s " | " base[s] " | "
        line = line (("measured", s) in ratio ? sprintf("%s | %s |", ratio["measured", s] < 0.095 ? speedup(ratio["measured", s]) : sprintf("%.3g", ratio["measured", s]), microseconds(time["measured", s])) : "- | - |")
        for (k = 1; k <= ngpus; k++)
            line = line " " ((gpu[k], s) in ratio ? speedup(ratio[gpu[k], s]) : "-") " |"
        print line " " need[s] " |"
    }
    print "\nSpeedups of the kit's solution over the kernel named under *over*. The first figure and its time were measured on an"
    print "H200; the columns after these are the virtual GPU's estimates for each GPU. *needs*: what the last"
    print "points for speed ask for, on an H200."
}
