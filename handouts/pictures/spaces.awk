# spaces.awk - lanes of a warp over constant and shared memory: how many turns a load takes. Eight lanes stand for 32.
function wanted(what, lane) { return what == "same" ? 3 : entry[lane + 1] }
# How often the word or the bank that a lane wants has been asked for by the lanes before it.
function turn(what, lane,   i, before) {
    for (i = 0; i < lane; i++)
        before += what == "banks" ? wanted(what, i) % 8 == wanted(what, lane) % 8 : what == "same" ? 0 : 1
    return before + 1
}
function panel(y, title, result, what, class,   i, w) {
    text(16, y, title, "strong"); text(784, y, result, "end")
    for (i = 0; i < 8; i++) {
        w = wanted(what, i)
        wire(left + i * 40 + 20, y + 44, left + (what == "banks" ? w % 8 * 40 + 20 : w * 20 + 10), y + 92, "w" class)
        box(left + i * 40, y + 24, 40, 20, "turn " turn(what, i), "a", "tiny")
    }
    text(left - 12, y + 39, "lanes", "end small dim")
    text(left - 12, y + 107, what == "banks" ? "banks, 2 entries each" : "entries of the table", "end small dim")
    for (i = 0; i < (what == "banks" ? 8 : 16); i++)
        box(left + i * (what == "banks" ? 40 : 20), y + 92, what == "banks" ? 40 : 20, 20, what == "banks" ? i ", " i + 8 : i, "b", "tiny")
}
BEGIN {
    left = 300
    split("5 12 0 9 14 3 11 7", entry, " ")
    begin_svg(800, 456, "Turns of a load from constant and from shared memory", "Eight lanes stand for a warp. From constant memory one entry for all lanes takes one turn; eight different entries take eight turns, one after the other. From shared memory, where each bank gives one entry per turn, the same eight entries take two turns, because two of them lie in one bank.")
    panel(24, "constant memory, one index for all lanes", "1 turn", "same", "a")
    panel(168, "constant memory, an index per lane", "8 turns for 8 entries", "different", "bad")
    panel(312, "shared memory, an index per lane", "2 turns: 3 and 11 lie in one bank", "banks", "a")
    text(16, 448, "Eight lanes and banks stand for 32. A lane shows the turn in which it gets its entry.", "small dim")
    end_svg()
}
