# sectors.awk - which 32-byte sectors the lanes of a warp touch, for four ways of walking through memory.
function lanes(y,   i) {
    text(left - 10, y + 15, "lanes", "end small dim")
    for (i = 0; i < 32; i++)
        box(left + i * 22, y, 22, 20, i, "a", "tiny")
}
function memory(y, count, words,   i, k, w) {
    w = 704 / count
    text(left - 10, y + 15, "memory", "end small dim")
    for (i = 0; i < count; i++) {
        rect(left + i * w, y, w, 20, (i in used) ? "b" : "off")
        for (k = 1; k < words; k++)
            wire(left + i * w + k * w / words, y + 13, left + i * w + k * w / words, y + 20, (i in used) ? "wb" : "wire")
    }
}
# word(i) by kind; count sectors of `words` drawn words each.
function panel(y, title, result, count, words, kind,   i, word, w) {
    split("", used)
    for (i = 0; i < 32; i++)
        used[int(place(kind, i) / words)] = 1
    text(left, y, title, "strong")
    text(left + 704, y, result, "end")
    w = 704 / (count * words)
    for (i = 0; i < 32; i++)
        wire(left + i * 22 + 11, y + 30, left + (place(kind, i) + 0.5) * w, y + 66, "wa")
    lanes(y + 10)
    memory(y + 66, count, words)
    for (i = 0; i < 32; i++)
        rect(left + place(kind, i) * w + 1.5, y + 79, w - 3, 6, "tb")
}
function place(kind, i) {
    return kind == "unit" ? i : kind == "stride" ? 2 * i : kind == "offset" ? i + 1 : (i * 13 + 5) % 32 * 2 + (i * 5 + 1) % 2
}
BEGIN {
    left = 68
    begin_svg(790, 500, "Lanes of a warp over 32-byte sectors", "Thirty-two lanes read one float each. Neighbours touch 4 sectors of 32 bytes, every second word 8 sectors, neighbours from a place that is not a multiple of 32 bytes 5 sectors, and scattered words one sector each, 32 in all.")
    panel(24, "unit stride: lane k reads word k", "4 sectors: 128 bytes moved, 128 used", 8, 8, "unit")
    panel(144, "stride 2: lane k reads word 2k", "8 sectors: 256 bytes moved, 128 used", 8, 8, "stride")
    panel(264, "misaligned: lane k reads word k + 1", "5 sectors: 160 bytes moved, 128 used", 8, 8, "offset")
    panel(384, "scattered: every lane a sector of its own", "32 sectors: 1024 bytes moved, 128 used", 32, 2, "scattered")
    text(left, 490, "A box of memory is a sector of 32 bytes, drawn smaller in the last picture; full marks are the words that lanes read.", "small dim")
    end_svg()
}
