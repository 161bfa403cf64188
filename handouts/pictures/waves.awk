# waves.awk - blocks over SMs in waves, and the staircase: times measured on an H200 with one block per SM.
function x_of(blocks) { return 452 + blocks * 290 / 320 }
function y_of(us) { return 290 - us * 210 / 70 }
function point(blocks, us, words, dx, dy, class) {
    dot(x_of(blocks), y_of(us), 4, "tb")
    text(x_of(blocks) + dx, y_of(us) + dy, words, "small" (class == "" ? "" : " " class))
}
BEGIN {
    record = RECORD "/micro.csv"
    sms = gpu("sms")
    one = measured(record, "tail.single.1wave"); one_more = measured(record, "tail.single.1wave_1block")
    two = measured(record, "tail.single.2waves"); two_more = measured(record, "tail.single.2waves_1block")
    begin_svg(800, 352, "Blocks run in waves", "An H200 has " sms " SMs. With one block on each, " sms " blocks are one wave. One block more waits for a free SM and then runs alone: a second wave. Measured: " sms " blocks " n(one) " microseconds, " sms + 1 " blocks " n(one_more) ", " 2 * sms " blocks " n(two) ", " 2 * sms + 1 " blocks " n(two_more) ".")
    text(20, 24, sms + 1 " blocks on " sms " SMs, one on each", "strong")
    split("SM 0|SM 1|SM 2|⋮|SM " sms - 1, label, "|")
    for (i = 1; i <= 5; i++) {
        y = 44 + (i - 1) * 42 - (i == 5 ? 8 : 0)
        text(70, y + 20, i == 4 ? "" : label[i], "end small dim")
        if (i == 4) {
            text(56, y + 16, "⋮", "mid dim"); text(145, y + 16, "⋮", "mid dim"); text(285, y + 16, "⋮", "mid dim")
            continue
        }
        box(80, y, 130, 30, "block " (i == 5 ? sms - 1 : i - 1), "a", "small")
        if (i == 1)
            box(220, y, 130, 30, "block " sms, "b", "small")
        else
            box(220, y, 130, 30, "idle", "off", "small dim")
    }
    arrow(80, 262, 356, 262, ""); text(356, 280, "time", "end small dim")
    text(145, 254, "first wave", "mid small"); text(285, 254, "second wave", "mid small")
    text(20, 310, "The last block runs alone, and takes nearly as long as a full wave.", "small")
    text(20, 328, "Blocks that share an SM make waves larger: with 8 on each SM,", "small")
    text(20, 346, "8 × " sms " = " 8 * sms " blocks are one wave, and " 8 * sms + 1 " begin a second one.", "small")
    # the staircase
    text(452, 24, "measured on an H200, one block per SM", "strong")
    arrow(x_of(0), y_of(0), 778, y_of(0), ""); arrow(x_of(0), y_of(0), x_of(0), 48, "")
    text(x_of(0) + 8, 56, "time, µs", "small dim"); text(778, y_of(0) + 34, "blocks", "end small dim")
    for (us = 20; us <= 60; us += 20) {
        wire(x_of(0) - 5, y_of(us), x_of(0), y_of(us)); text(x_of(0) - 9, y_of(us) + 4, us, "end tiny dim")
    }
    for (i = 1; i <= 2; i++) {
        wire(x_of(i * sms), y_of(0), x_of(i * sms), y_of(0) + 5); text(x_of(i * sms), y_of(0) + 18, i * sms, "mid tiny dim")
    }
    data = "M" n(x_of(0)) " " n(y_of(one)) " L" n(x_of(sms)) " " n(y_of(one)) " L" n(x_of(sms)) " " n(y_of(one_more))
    data = data " L" n(x_of(2 * sms)) " " n(y_of(two)) " L" n(x_of(2 * sms)) " " n(y_of(two_more))
    path(data, "wb dash")
    point(sms, one, sms ": " n(one), 8, 15); point(sms + 1, one_more, sms + 1 ": " n(one_more), -8, -6, "end")
    point(2 * sms, two, 2 * sms ": " n(two), 8, 15); point(2 * sms + 1, two_more, 2 * sms + 1 ": " n(two_more), -8, -6, "end")
    text(452, 346, "Points are measured; the lines between them are drawn.", "small dim")
    end_svg()
}
