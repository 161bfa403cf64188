# memory.awk - where data lives on an H200: sizes, who shares it, how long a load takes.
function floor_(y, height, name, size, who, latency, class) {
    rect(20, y, 760, height, class, 6)
    text(36, y + 24, name, "strong"); text(36, y + 44, who, "small")
    text(560, y + 24, size, "end"); text(764, y + 24, latency, "end")
}
function ns(clocks) { return sprintf("%d clocks, %.0f ns", clocks, clocks * 1000 / gpu("clock_mhz")) }
function mb(bytes) { return bytes / 1048576 " MB" }
BEGIN {
    begin_svg(800, 402, "Memory of an H200", "From the nearest to the furthest: registers, " gpu("registers") * 4 / 1024 " KB in each SM; shared memory and L1 together " gpu("l1_bytes") / 1024 " KB in each SM, of which up to " gpu("shared_bytes") / 1024 " KB shared, " gpu("shared_latency") " and " gpu("l1_latency") " clocks; L2 " mb(gpu("l2_bytes")) " for all SMs, " gpu("l2_latency") " clocks; device memory " sprintf("%.0f", gpu("memory_bytes") / 1073741824) " GB, " gpu("dram_latency") " clocks.")
    text(36, 22, "H200, " gpu("sms") " SMs, " gpu("clock_mhz") " MHz", "strong"); text(560, 22, "size", "end small dim"); text(764, 22, "latency of a load", "end small dim")
    rect(8, 32, 784, 174, "off", 8); text(20, 52, "each SM", "small dim")
    floor_(60, 54, "registers", gpu("registers") * 4 / 1024 " KB per SM", "one thread's own, at most 255 of 4 bytes", "-", "a")
    floor_(120, 78, "shared memory and L1", gpu("l1_bytes") / 1024 " KB per SM", "shared memory: all threads of a block; up to " gpu("shared_bytes") / 1024 " KB of it, " gpu("shared_per_block_optin") / 1024 " KB for one block", "shared " gpu("shared_latency") ", L1 " gpu("l1_latency") " clocks", "b")
    text(36, 184, "L1: the rest, a cache of this SM; lines of 128 bytes, sectors of 32", "small")
    arrow(400, 210, 400, 228, ""); arrow(420, 228, 420, 210, "")
    text(434, 224, "up to " gpu("l2_gbs") / 1000 " TB/s", "small dim")
    floor_(232, 54, "L2 cache", mb(gpu("l2_bytes")), "all SMs; atomics are done here", ns(gpu("l2_latency")), "c")
    arrow(400, 290, 400, 308, ""); arrow(420, 308, 420, 290, "")
    text(434, 304, "about " sprintf("%.2f", gpu("dram_gbs") / 1000) " TB/s", "small dim")
    floor_(312, 54, "device memory (DRAM, HBM3e)", sprintf("%.0f GB", gpu("memory_bytes") / 1073741824), "what cudaMalloc gives: all SMs, until it is freed", ns(gpu("dram_latency")), "d")
    text(20, 390, "Latencies (a chain of loads, each needing the one before) and rates: measured on an H200, rounded, as in the primer's table.", "small dim")
    end_svg()
}
