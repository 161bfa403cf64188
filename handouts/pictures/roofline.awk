# roofline.awk - the roofline of an H200, and where stages of the labs stand under it, as handouts/h200.csv has them.
function log10(value) { return log(value) / log(10) }
function x_of(intensity) { return 90 + (log10(intensity) + 1) * 150 }
function y_of(gflops) { return 350 - (log10(gflops) - 1.5) * 90 }
function place(intensity, gflops, words, dx, dy, class, how) {
    dot(x_of(intensity), y_of(gflops), 5, "t" class)
    text(x_of(intensity) + dx, y_of(gflops) + dy, words, "small" (how == "" ? "" : " " how))
}
function tera(gflops) { return sprintf(gflops >= 10000 ? "%.0f TFLOP/s" : "%.1f TFLOP/s", gflops / 1000) }
BEGIN {
    peak = gpu("sms") * gpu("fp32_lanes") * 2 * gpu("clock_mhz") / 1000
    memory = gpu("dram_gbs")
    ridge = peak / memory
    registers = rate_of("lab5", "registers"); tiled = rate_of("lab5", "tiled")
    coalesced = rate_of("lab5", "coalesced"); column = rate_of("lab5", "column")
    reduction = rate_of("lab4", "one_kernel") / 4 # an addition for 4 bytes
    begin_svg(800, 440, "The roofline of an H200", "Attainable arithmetic against operations per byte of device memory, both on logarithmic scales. Left of " n(ridge) " operations per byte the memory limits, at " memory " GB/s; right of it the arithmetic, at " tera(peak) ". A sum of an array has a quarter of an operation per byte and stands at the slope. Products of 2048 by 2048 matrices could have 341 operations per byte: measured are " tera(column) ", " tera(coalesced) ", " tera(tiled) " and " tera(registers) ".")
    for (e = -1; e <= 3; e++) {
        wire(x_of(10 ^ e), 350, x_of(10 ^ e), 356); text(x_of(10 ^ e), 372, 10 ^ e "", "mid small dim")
    }
    for (e = 2; e <= 5; e++) {
        wire(84, y_of(10 ^ e), 90, y_of(10 ^ e)); text(78, y_of(10 ^ e) + 4, 10 ^ (e - 3) "", "end small dim")
    }
        arrow(90, 350, 720, 350, ""); arrow(90, 350, 90, 20, "")
    text(100, 28, "TFLOP/s", "small dim")
    text(720, 392, "operations per byte of device memory", "end small dim")
    path("M" n(x_of(0.1)) " " n(y_of(0.1 * memory)) " L" n(x_of(ridge)) " " n(y_of(peak)) " L" n(x_of(1000)) " " n(y_of(peak)), "wd bold")
    wire(x_of(ridge), y_of(peak), x_of(ridge), 350, "wire dash")
    text(x_of(ridge) + 8, 340, "ridge: " n(ridge), "small dim")
    text(x_of(120), y_of(peak) - 10, "arithmetic: " tera(peak), "mid small d")
    text(x_of(1.0) - 12, y_of(1.5 * memory) - 14, "memory: " sprintf("%.2f", memory / 1000) " TB/s", "end small d")
    place(0.25, reduction, "lab 4, sum of an array", 10, 16, "a")
    place(341, registers, "registers, " tera(registers), 10, 5, "c"); place(341, tiled, "tiled, " tera(tiled), 10, 4, "c")
    place(341, coalesced, "coalesced, " tera(coalesced), 10, 14, "c"); place(341, column, "column, " tera(column), 10, 4, "c")
    text(x_of(341) - 12, y_of(tiled) + 4, "lab 5, n = 2048", "end small")
    text(20, 414, "Under the slope the memory limits, under the flat part arithmetic; a point far below both is limited by something else.", "small")
    text(20, 432, "Lab 5 stands at 341, as if each matrix were moved once. Points: measured on an H200. Lines: its memory and its peak.", "small")
    end_svg()
}
# What a stage reaches: GFLOP/s in lab 5, GB/s in lab 4.
function rate_of(lab, stage,   line, f, rate) {
    while ((getline line < STAGES) > 0)
        if (split(line, f, ",") >= 7 && f[1] == lab && f[2] == stage)
            rate = f[7]
    close(STAGES)
    if (rate == "") {
        print "no " lab " " stage " in " STAGES > "/dev/stderr"
        exit 1
    }
    return rate
}
