# limits.awk - Nsight Compute's raw pages, one after another, become rows of figures with what limits each kernel:
#   awk -f limits.awk RAW_PAGE.csv... > h200/limits.csv
# One row for each kernel: the first launch with that grid which takes longest. The kit's own kernels are left out, since those of
# the baselines are twins of stages.
#
# The rule, in the virtual GPU's words. Figures are in per cent of a unit's peak: of units that all SMs share, over the whole
# launch; of an SM's units, over the time in which SMs have work.
#   dram     its throughput
#   l2       its tags, data, sectors, or the ways to and from it, whichever is busiest. Not lts__throughput: that has parts
#            which Nsight Compute itself leaves out of its memory throughput, and which are busy with DRAM's traffic
#   atomic   the atomic unit of the busiest slice of L2
#   l1       the LSU's instructions, requests or wavefronts; "shared" where more than half of the wavefronts are shared memory's,
#            "shuffle" where more than half of the instructions ask for no memory
#   texture  the ways to and in the texture unit          const    requests to the constant cache
#   issue    issue slots    int  ALU    fp32  both FMA pipes    imul  the heavy one, which multiplies integers    fp64    sfu  XU
# 1. Less than 3 us, twice an empty kernel's time: launch.
# 2. A block for each SM, but the average SM has work for less than 70 % of the time: tail.
# 3. The busiest unit, if it is at 60 % or more; below that Nsight Compute, too, speaks of latency.
# 4. Else what warps wait for most: barrier; start, where there are two waves of blocks or more and less than half of the warps
#    that would fit are there; else latency.
# Figures that are less than 5 points apart decide nothing: then `or` has the second name, the other unit's, or that of the
# wait, where the busiest unit is less than 5 points from 60.
function plain(text) { gsub(/[(),"]/, "", text); return text }
function shape(text) { text = plain(text); gsub(/ /, "x", text); return text }
# As c++filt and limits.sh write it: no types, and of values in <> the numbers only.
function name(text)
{
    sub(/^void /, "", text)
    gsub(/\((bool|int|unsigned int|long|unsigned long)\)/, "", text)
    sub(/\(.*/, "", text)
    gsub(/, /, " ", text)
    return text
}
function value(metric) { return metric in column ? plain($column[metric]) + 0 : 0 }
function elapsed(metric) { return value(metric ".avg.pct_of_peak_sustained_elapsed") }
# Some pages have a figure over the whole launch only.
function active(metric)
{
    if (metric ".avg.pct_of_peak_sustained_active" in column)
        return value(metric ".avg.pct_of_peak_sustained_active")
    return working > 0 ? elapsed(metric) / working : 0
}
function most_of(metrics, is_of_sm,    n, i, metric, figure, most)
{
    n = split(metrics, metric, " ")
    for (i = 1; i <= n; i++) {
        figure = is_of_sm ? active(metric[i]) : elapsed(metric[i])
        most = figure > most ? figure : most
    }
    return most + 0
}
# The sum over what a word of the metric's name can be.
function sum_of(before, words, after,    n, i, word, sum)
{
    n = split(words, word, " ")
    for (i = 1; i <= n; i++)
        sum += value(before word[i] after)
    return sum + 0
}
function lsu_name(    shared, requests, instructions)
{
    shared = sum_of("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_", "ld st atom", ".sum")
    requests = sum_of("l1tex__t_requests_pipe_lsu_mem_", "global_op_ld global_op_st global_op_red local_op_ld local_op_st", ".sum")
    instructions = value("sm__inst_executed_pipe_lsu.sum")
    if (shared > value("l1tex__data_pipe_lsu_wavefronts.sum") / 2)
        return "shared"
    return requests && shared + requests < instructions / 2 ? "shuffle" : "l1"
}
function take_units()
{
    split("", unit)
    unit["dram"] = elapsed("gpu__dram_throughput")
    unit["l2"] = most_of("lts__t_sectors lts__d_sectors lts__t_tag_requests lts__xbar2lts_cycles_active lts__lts2xbar_cycles_active", 0)
    unit["atomic"] = value("lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed")
    unit[lsu_name()] = most_of("l1tex__data_pipe_lsu_wavefronts l1tex__lsuin_requests sm__inst_executed_pipe_lsu", 1)
    unit["texture"] = most_of("l1tex__texin_sm2tex_req_cycles_active l1tex__data_pipe_tex_wavefronts l1tex__f_wavefronts " \
                              "sm__inst_executed_pipe_tex", 1)
    unit["const"] = active("idc__request_cycles_active")
    unit["issue"] = active("smsp__issue_active")
    unit["int"] = active("sm__pipe_alu_cycles_active")
    unit["fp32"] = active("sm__pipe_fma_cycles_active")
    unit["imul"] = active("sm__pipe_fmaheavy_cycles_active")
    unit["fp64"] = active("sm__pipe_fp64_cycles_active")
    unit["sfu"] = active("sm__inst_executed_pipe_xu")
}
function longest_stall(    metric, part, best)
{
    stall = "none"
    for (metric in column)
        if (metric ~ /^smsp__average_warps_issue_stalled_/ && metric !~ /_(not_)?selected_/ && value(metric) > best) {
            best = value(metric)
            stall = metric
        }
    sub(/^smsp__average_warps_issue_stalled_/, "", stall)
    sub(/_per_issue_active.*/, "", stall)
}
function wait_name()
{
    if (stall == "barrier")
        return "barrier"
    return value("launch__waves_per_multiprocessor") >= 2 && \
           value("sm__warps_active.avg.pct_of_peak_sustained_active") < value("sm__maximum_warps_per_active_cycle_pct") / 2 ? \
           "start" : "latency"
}
function choose(    u, first, second)
{
    first = "dram"
    for (u in unit)
        if (unit[u] > unit[first] || (unit[u] == unit[first] && u < first))
            first = u
    for (u in unit)
        if (u != first && (second == "" || unit[u] > unit[second] || (unit[u] == unit[second] && u < second)))
            second = u
    limiter = unit[first] >= 60 ? first : wait_name()
    other = ""
    if (unit[first] >= 60 && unit[first] - unit[second] < 5)
        other = second
    else if (unit[first] > 55 && unit[first] < 65)
        other = unit[first] >= 60 ? wait_name() : first
    if (value("gpu__time_duration.sum") < 3000) {
        limiter = "launch"
        other = ""
    } else if (working < 0.7 && blocks >= sms) {
        limiter = "tail"
        other = ""
    }
}
BEGIN {
    FS = "\",\""
    units = split("dram l2 atomic l1 shared shuffle texture const issue int fp32 imul fp64 sfu", order, " ")
    row = "program,kernel,grid,block,limiter,or,stall,working,time_us"
    for (i = 1; i <= units; i++)
        row = row "," order[i]
    print row
}
/^"ID"/ {
    split("", column)
    for (i = 1; i <= NF; i++)
        column[plain($i)] = i
    next
}
/^"[0-9]/ {
    kernel = name($column["Kernel Name"])
    key = plain($column["Process Name"]) "," kernel
    row = key "," shape($column["Grid Size"]) "," shape($column["Block Size"])
    time_us = value("gpu__time_duration.sum") / 1000
    if (kernel ~ /^(lab|kit|baseline)_/ || row in seen)
        next
    seen[row] = 1
    if (key in longest && longest[key] >= time_us)
        next
    if (!(key in longest))
        keys[++nkeys] = key
    longest[key] = time_us
    split(shape($column["Grid Size"]), side, "x")
    blocks = side[1] * side[2] * side[3]
    working = value("gpc__cycles_elapsed.max") ? value("sm__cycles_active.avg") / value("gpc__cycles_elapsed.max") : 1
    sms = value("sm__cycles_active.avg") ? value("sm__cycles_active.sum") / value("sm__cycles_active.avg") : 1
    take_units()
    longest_stall()
    choose()
    row = row "," limiter "," other "," stall "," sprintf("%.2f,%.1f", working, time_us)
    for (i = 1; i <= units; i++)
        row = row "," (order[i] in unit ? sprintf("%.0f", unit[order[i]]) : "")
    rows[key] = row
}
END {
    for (i = 1; i <= nkeys; i++)
        print rows[keys[i]]
}
