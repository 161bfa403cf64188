# timeline.awk - copy in, compute, copy out over time: pageable with the driver's staging, pinned in one stream, chunks over streams.
# 64 MB each way and a kernel of 1200 us, as bench/transfers.cu measured them on an H200.
function at(us) { return left + us * scale }
function label(y, words) { text(left - 10, y + 15, words, "end small") }
function bar(y, from, length_, words, class) {
    if (length_ * scale > 30)
        box(at(from), y, length_ * scale, 22, words, class, "small")
    else
        rect(at(from), y, length_ * scale, 22, class)
}
# Bytes arrive in a pinned buffer of the driver, piece by piece, and leave it over the bus.
function staged(y, from, whole, bus, class,   i, pieces) {
    pieces = 12
    for (i = 0; i < pieces; i++)
        rect(at(from + whole * (i + 0.5) / pieces), y, bus / pieces * scale, 22, class)
}
function rows(y, title, note) {
    text(20, y, title, "strong"); text(780, y, note, "end small")
    label(y + 10, "copy in"); label(y + 36, "compute"); label(y + 62, "copy out")
}
# Each engine does one thing at a time; a chunk's parts follow each other.
function chunks(y, count,   i, in_, done, gone, words) {
    done = gone = 0
    for (i = 0; i < count; i++) {
        words = count > 8 ? "" : i + 1
        in_ = (i + 1) * pinned_in / count
        bar(y + 10, in_ - pinned_in / count, pinned_in / count, words, "a")
        done = (done > in_ ? done : in_) + kernel / count
        bar(y + 36, done - kernel / count, kernel / count, words, "b")
        gone = (gone > done ? gone : done) + pinned_out / count
        bar(y + 62, gone - pinned_out / count, pinned_out / count, words, "c")
    }
}
function ms(us) { return sprintf("%.1f ms", us / 1000) }
BEGIN {
    file = RECORD "/transfers.csv"
    pageable_in = measured(file, "h2d_pageable_64M_sync"); pageable_out = measured(file, "d2h_pageable_64M_sync")
    pinned_in = measured(file, "h2d_pinned_64M_sync"); pinned_out = measured(file, "d2h_pinned_64M_sync")
    kernel = measured(file, "kernel_1200")
    one = measured(file, "chunks_1_kernel_1200"); four = measured(file, "chunks_4_kernel_1200"); many = measured(file, "chunks_16_kernel_1200")
    pageable = measured(file, "chunks_1_pageable_kernel_1200")
    left = 110
    begin_svg(800, 640, "Copy in, compute, copy out over time", "64 MB to the device, a kernel, 64 MB back, on an H200. With pageable memory the host copies everything once more and the whole takes " ms(pageable) "; with pinned memory " ms(one) "; in four chunks over streams " ms(four) ", in sixteen " ms(many) ", because copies and kernels of different chunks run at the same time.")

    scale = 660 / (pageable_in + kernel + pageable_out)
    text(20, 24, "Pageable memory, one stream", "strong"); text(780, 24, "measured: " ms(pageable), "end small")
    label(34, "host copies"); label(60, "bus"); label(86, "compute")
    bar(34, 0, pageable_in, "into a pinned buffer of the driver, piece by piece", "bad")
    staged(60, 0, pageable_in, pinned_in, "a")
    bar(86, pageable_in, kernel, "", "b")
    bar(34, pageable_in + kernel, pageable_out, "out of it", "bad")
    staged(60, pageable_in + kernel, pageable_out, pinned_out, "c")
    text(20, 146, "Pinned memory, one stream, at the same scale", "strong"); text(780, 146, "measured: " ms(one), "end small")
    label(156, "bus"); label(182, "compute")
    bar(156, 0, pinned_in, "in", "a"); bar(182, pinned_in, kernel, "", "b"); bar(156, pinned_in + kernel, pinned_out, "out", "c")

    scale = 660 / (pinned_in + kernel + pinned_out)
    rows(246, "Pinned memory, one stream, enlarged", "measured: " ms(one)); chunks(246, 1)
    rows(366, "Four chunks over streams", "measured: " ms(four)); chunks(366, 4)
    rows(486, "Sixteen chunks over streams", "measured: " ms(many)); chunks(486, 16)
    arrow(left, 590, left + 660, 590, ""); text(left + 660, 608, "time", "end small dim")
    text(20, 612, "Both directions of the bus and the SMs work at the same time, each on another chunk.", "small")
    text(20, 630, "Bars: the copies and the kernel, each measured alone. At the right: the whole, with the cost of each call.", "small")
    end_svg()
}
