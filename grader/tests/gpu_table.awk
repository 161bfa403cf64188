# gpu_table.awk - two of `./grade check LAB --json`, of a GPU and of the virtual one, as one table: awk -f json.awk -f gpu_table.awk GPU VIRTUAL
function times(value) { return value == "" ? "-" : sprintf("%.2f", value) }
function earned(step, stage) { return step == "" ? "-" : points[1, step, stage] " / " points[2, step, stage] }
FNR == 1 { side++ }
/"stage":/ {
    stage = field("stage")
    slot = field("slot")
    if (slot == stage) {
        own[side, stage] = field("speedup")
    } else {
        before[stage] = slot
        its[side, stage] = field("speedup")
    }
}
/"step":/ {
    step = field("step")
    text = $0
    sub(/.*"points":{/, "", text)
    n = split(text, pair, ",")
    for (i = 1; i <= n; i++) {
        split(pair[i], part, /"?:/)
        sub(/^"/, "", part[1])
        points[side, step, part[1]] = part[2] + 0
        if (part[1] == step && side == 1)
            steps[++nsteps] = step
    }
}
END {
    print "| stage | points | the step before | earns | speedup | on the virtual GPU | before | on the virtual GPU |"
    print "|---|--:|---|--:|--:|--:|--:|--:|"
    for (i = 1; i <= nsteps; i++) {
        s = steps[i]
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", s, earned(s, s), before[s] == "" ? "-" : before[s],
            earned(before[s], s), times(own[1, s]), times(own[2, s]), times(its[1, s]), times(its[2, s])
    }
}
