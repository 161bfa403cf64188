# trees.awk - three trees of additions over eight elements: which thread adds where, level by level.
function works(kind, s, t) { return kind == "interleaved" ? t % (2 * s) == 0 : kind == "strided" ? 2 * s * t < 8 : t < s }
function target(kind, s, t) { return kind == "strided" ? 2 * s * t : t }
function tree(x, y, kind, title, note1, note2,   level, s, t, i, top) {
    text(x + 112, y, title, "mid strong")
    for (level = 0; level <= 3; level++) {
        top = y + 18 + level * 62
        s = kind == "sequential" ? 4 / 2 ^ (level - 1) : 2 ^ (level - 1)
        split("", adder)
        for (t = 0; level && t < 8; t++)
            if (works(kind, s, t)) {
                i = target(kind, s, t)
                adder[i] = t
                wire(x + i * 28 + 14, top - 38, x + i * 28 + 14, top, "wa")
                arrow(x + (i + s) * 28 + 14, top - 38, x + i * 28 + 19, top - 1, "a")
            }
        for (i = 0; i < 8; i++)
            box(x + i * 28, top, 28, 24, (i in adder) ? "t" adder[i] : level ? "" : i, (i in adder) ? "a" : "off", "small" (level ? " strong" : " dim"))
        if (level)
            text(x - 8, top + 17, "s = " s, "end small dim")
    }
    text(x + 112, y + 250, note1, "mid small"); text(x + 112, y + 268, note2, "mid small")
}
BEGIN {
    begin_svg(860, 300, "Three trees of additions", "Eight elements are added up in three levels. Interleaved: threads 0, 2, 4, 6 work, then 0 and 4: lanes of one warp take different ways. Strided: threads 0 to 3 work, on elements that lie ever further apart: banks collide. Sequential: threads 0 to 3 add the upper half to the lower: neighbouring threads, neighbouring elements.")
    tree(60, 24, "interleaved", "interleaved", "every second, then every fourth thread:", "all warps work on, with few lanes each")
    tree(340, 24, "strided", "strided", "the first threads work, but their elements", "lie 2s apart: bank conflicts")
    tree(620, 24, "sequential", "sequential", "the first threads work on neighbours:", "whole warps, no conflicts")
    end_svg()
}
