# gpus.awk - the primer's table of GPUs, from their profiles: awk -f gpus.awk GPU.gpu...
# In the order in which they are named. Sizes are binary: 1 KB is 1024 bytes.
function row(name, key, format, divisor,   i, line) {
    line = "| " name " |"
    for (i = 1; i <= count; i++)
        line = line " " sprintf(format, figure[i, key] / divisor) " |"
    print line
}
FNR == 1 { count++ }
/^[a-z0-9_]+ *=/ {
    key = $1
    value = $0; sub(/^[^=]*= */, "", value); sub(/ *#.*/, "", value)
    figure[count, key] = value
}
END {
    line = "| |"; rule = "|---|"
    for (i = 1; i <= count; i++) {
        name = figure[i, "name"]; sub(/^(NVIDIA|Tesla) /, "", name); sub(/^GeForce /, "", name); sub(/-.*/, "", name)
        line = line " " name " |"; rule = rule "---:|"
    }
    print line "\n" rule
    row("SMs", "sms", "%d", 1)
    row("clock, MHz", "clock_mhz", "%d", 1)
    row("threads per SM, at most", "max_threads", "%d", 1)
    row("blocks per SM, at most", "max_blocks", "%d", 1)
    row("multiply-adds of floats per SM and clock", "fp32_lanes", "%d", 1)
    row("registers per SM", "registers", "%d KB", 256)
    row("shared memory and L1 per SM, together", "l1_bytes", "%d KB", 1024)
    row("of that shared memory, at most", "shared_bytes", "%d KB", 1024)
    row("L2", "l2_bytes", "%d MB", 1048576)
    row("device memory", "memory_bytes", "%.0f GB", 1073741824)
    row("latency of a multiply-add, clocks", "alu_latency", "%d", 1)
    row("of a load from shared memory", "shared_latency", "%d", 1)
    row("of a load from L1", "l1_latency", "%d", 1)
    row("of a load from L2", "l2_latency", "%d", 1)
    row("of a load from device memory", "dram_latency", "%d", 1)
    row("rate of device memory, attained, GB/s", "dram_gbs", "%d", 1)
}
