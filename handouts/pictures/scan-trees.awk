# scan-trees.awk - two scans of eight elements: Hillis and Steele's rounds, Blelloch's way up and down.
function row(x, y, label,   i) {
    text(x - 8, y + 17, label, "end small dim")
    for (i = 0; i < 8; i++)
        box(x + i * 36, y, 36, 24, value[i], (i in changed) ? mark[i] : "off", "small" ((i in changed) ? " strong" : " dim"))
}
function begin_values(   i) { split("3 1 7 0 4 1 6 3", first, " "); for (i = 0; i < 8; i++) value[i] = first[i + 1] }
function forget(   i) { split("", changed); split("", mark) }
function link(x, y, from, to, class) { arrow(x + from * 36 + 18, y - 30, x + to * 36 + 18 - (from < to ? 5 : -5), y - 1, class) }
function hillis_steele(x, y,   s, i, old, top) {
    text(x + 144, y, "Hillis and Steele", "mid strong")
    begin_values(); forget(); top = y + 18; row(x, top, "in")
    for (s = 1; s < 8; s *= 2) {
        top += 54; forget()
        for (i = 0; i < 8; i++) old[i] = value[i]
        for (i = s; i < 8; i++) {
            value[i] = old[i] + old[i - s]; changed[i]; mark[i] = "a"
            link(x, top, i - s, i, "a")
        }
        row(x, top, "add " s " before")
    }
    text(x + 144, top + 52, "3 rounds, 17 additions: about n log n", "mid small")
    text(x + 144, top + 70, "all threads work in every round", "mid small")
}
function blelloch(x, y,   s, i, left, top) {
    text(x + 144, y, "Blelloch", "mid strong")
    begin_values(); forget(); top = y + 18; row(x, top, "in")
    for (s = 1; s < 8; s *= 2) {
        top += 54; forget()
        for (i = 2 * s - 1; i < 8; i += 2 * s) {
            value[i] += value[i - s]; changed[i]; mark[i] = "a"
            link(x, top, i - s, i, "a")
        }
        row(x, top, "up, step " s)
    }
    top += 40; forget(); value[7] = 0; changed[7]; mark[7] = "bad"; row(x, top, "clear the last")
    for (s = 4; s >= 1; s /= 2) {
        top += 54; forget()
        for (i = 2 * s - 1; i < 8; i += 2 * s) {
            left = value[i - s]; value[i - s] = value[i]; value[i] += left
            changed[i]; mark[i] = "c"; changed[i - s]; mark[i - s] = "b"
            link(x, top, i, i - s, "b"); link(x, top, i - s, i, "c")
        }
        row(x, top, "down, step " s)
    }
    text(x + 144, top + 52, "6 steps, 14 additions: about 2 n", "mid small")
    text(x + 144, top + 70, "the result is exclusive: before each element", "mid small")
}
BEGIN {
    begin_svg(860, 495, "Two scans of eight elements", "Hillis and Steele: in round k each element adds what lies 1, 2, 4 places before it; after three rounds each has the sum of all up to itself. Blelloch: on the way up, pairs of parts are added; the last place is set to 0; on the way down the left part gets what lies before both, the right part that plus the left part's sum.")
    hillis_steele(110, 24)
    blelloch(540, 24)
    end_svg()
}
