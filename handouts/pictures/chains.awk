# chains.awk - issue slots of one scheduler over time: one, four and eight chains of multiply-adds, and warps instead of chains.
function slot(i) { return left + i * 34 }
# count chains, each `latency` clocks from link to link; at most one instruction a clock.
function row(y, title, note, count, label,   clock, i, next_, chain, step) {
    text(20, y, title, "strong"); text(780, y, note, "end small")
    for (i = 0; i < count; i++) {
        ready[i] = 0; link[i] = 0
    }
    chain = 0
    for (clock = 0; clock < slots; clock++) {
        next_ = -1
        for (i = 0; i < count; i++)
            if (next_ < 0 && ready[(chain + i) % count] <= clock)
                next_ = (chain + i) % count
        if (next_ < 0) {
            rect(slot(clock), y + 10, 34, 26, "off")
            continue
        }
        box(slot(clock), y + 10, 34, 26, sprintf("%s%s", substr(letters, next_ + 1, 1), link[next_]++), substr("abcdabcd", next_ + 1, 1), "small")
        ready[next_] = clock + latency
        chain = (next_ + 1) % count
    }
}
BEGIN {
    latency = gpu("alu_latency"); slots = 20; left = 100; letters = "ABCDEFGH"
    begin_svg(800, 392, "Chains that do not depend on each other", "Each row shows 20 clocks of one scheduler. A result of a multiply-add can be used after " latency " clocks on an H200. One chain uses a quarter of the slots; four chains, or four warps with a chain each, use all of them; eight cannot use more.")
    row(24, "1 chain in one warp", "1 of " latency " slots used", 1)
    row(104, "4 chains in one warp (ILP)", "all slots used", 4)
    row(184, "8 chains in one warp", "all slots used: there are no more", 8)
    row(264, "4 warps with 1 chain each (TLP)", "all slots used: the scheduler takes whichever warp is ready", 4)
    for (i = 0; i < 4; i++)
        text(left - 10, 24 + i * 80 + 28, "slots", "end small dim")
    arrow(left, 326, left + slots * 34, 326, ""); text(left + slots * 34, 344, "clocks", "end small dim")
    text(20, 344, "A0, A1, A2, … is one chain: each link needs the one before, " latency " clocks later.", "small")
    text(20, 364, "Letters are chains in the first three rows and warps in the last. Empty slots are latency that nothing hides.", "small")
    text(20, 384, "In a program a loop runs around the chains, and its own instructions take slots too.", "small")
    end_svg()
}
