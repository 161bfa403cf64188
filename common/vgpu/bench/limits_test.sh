#!/bin/sh
# limits_test.sh - what limits kernels, by Nsight Compute and by the virtual GPU: limits_test.sh BUILD_DIR
# The rule of limits.awk on pages made up by hand, and the report of limits_report.awk; then nine in ten must agree.
build=$1
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

say() { # truth what why
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2: $3"; fi
}

# ---- the rule ----

ELAPSED=avg.pct_of_peak_sustained_elapsed
ACTIVE=avg.pct_of_peak_sustained_active
page() { # figures as METRIC=VALUE: a page with one launch of 1000 blocks on 100 SMs that takes 50 us
    heads='"ID","Process Name","Kernel Name","Block Size","Grid Size"'
    cells='"0","lab9","void k<(int)8, (bool)1>(float *)","(256, 1, 1)","(1000, 1, 1)"'
    for pair in gpu__time_duration.sum=50,000 gpc__cycles_elapsed.max=1,000 sm__cycles_active.avg=950 sm__cycles_active.sum=95,000 "$@"; do
        heads="$heads,\"${pair%%=*}\"" cells="$cells,\"${pair#*=}\""
    done
    printf '==PROF== words\n%s\n"","","","",""\n%s\n' "$heads" "$cells"
}
rule() { # what, limiter and other name, figures
    what=$1 want=$2
    shift 2
    got=$(page "$@" | awk -f "$here/limits.awk" | sed -n 's/^lab9,k<8 1>,1000x1x1,256x1x1,\([a-z0-9]*,[a-z0-9]*\),.*/\1/p')
    say "$([ "$got" = "$want" ]; echo $?)" "$what" "$got instead of $want"
}
rule "the busiest unit limits" dram, gpu__dram_throughput.$ELAPSED=80 lts__t_sectors.$ELAPSED=60
rule "L2 is as busy as its busiest part" l2, gpu__dram_throughput.$ELAPSED=60 lts__t_sectors.$ELAPSED=20 lts__xbar2lts_cycles_active.$ELAPSED=88
rule "two within 5 points are both right" l2,dram gpu__dram_throughput.$ELAPSED=80 lts__t_sectors.$ELAPSED=84
rule "below 60 % it is latency" latency, gpu__dram_throughput.$ELAPSED=52
rule "just below 60 % it may be the unit as well" latency,dram gpu__dram_throughput.$ELAPSED=58
rule "just above 60 % it may be latency as well" dram,latency gpu__dram_throughput.$ELAPSED=61
rule "what warps wait for most may be a barrier" barrier, smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio=5 \
    smsp__average_warps_issue_stalled_wait_per_issue_active.ratio=2 smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio=9
rule "few of the warps that fit, in many waves: blocks start too slowly" start, launch__waves_per_multiprocessor=9 \
    sm__warps_active.$ACTIVE=20 sm__maximum_warps_per_active_cycle_pct=50
rule "most of the wavefronts are shared memory's" shared, l1tex__data_pipe_lsu_wavefronts.$ACTIVE=90 \
    l1tex__data_pipe_lsu_wavefronts.sum=100 l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum=51
rule "else they are L1's" l1, l1tex__data_pipe_lsu_wavefronts.$ACTIVE=90 l1tex__data_pipe_lsu_wavefronts.sum=100 \
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum=49 l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum=51 sm__inst_executed_pipe_lsu.sum=100
rule "most of the LSU's instructions ask for no memory" shuffle, sm__inst_executed_pipe_lsu.$ACTIVE=90 sm__inst_executed_pipe_lsu.sum=100 \
    l1tex__data_pipe_lsu_wavefronts.sum=100 l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum=4
rule "a figure over the whole launch is turned into one over the SMs' work" issue, smsp__issue_active.$ELAPSED=66.5
rule "SMs without work" tail, gpu__dram_throughput.$ELAPSED=80 sm__cycles_active.avg=600 sm__cycles_active.sum=60,000
rule "one slice of L2 with all the atomics" atomic, lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed=80
rule "a launch that is over at once" launch, gpu__time_duration.sum=1,900 gpu__dram_throughput.$ELAPSED=80

# ---- the report ----

rows() { # how many of 20 kernels agree; the last two by a second name, the GPU's or the virtual one's
    echo 'program,kernel,grid,block,limiter,or,stall,working,time_us,dram,l2,issue' >"$work/gpu"
    : >"$work/virtual"
    for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20; do
        echo "lab9,k$i<8 1>,4x1x1,32x1x1,$([ $i -gt 18 ] && echo l2,dram || echo dram,),wait,0.99,7.0,80,79,3" >>"$work/gpu"
        echo "lab9,void k$i<8 true>(float*),4x1x1,32x1x1,$([ $i -le "$1" ] || [ $i = 19 ] && echo dram,7.5,dram 90 l2 50 || echo issue,7.5,issue 90 $([ $i = 20 ] && echo l2 86 || echo dram 85))" >>"$work/virtual"
    done
    awk -v check="$2" -f "$here/limits_report.awk" "$work/gpu" "$work/virtual" >"$work/report"
    status=$?
}
expect() { # what status line
    say "$([ $status = "$2" ] && grep -qF "$3" "$work/report"; echo $?)" "$1" "status $status, and: $(tail -n 2 "$work/report")"
}
rows 16 1
expect "18 of 20 pass" 0 "1 passed, 0 failed"
rows 14 1
expect "16 of 20 fail" 1 "lab9,k15<8 1>,4x1x1,32x1x1: Nsight Compute says dram, the virtual GPU issue"
rows 14 ''
expect "the table says how many" 0 "| 20 | 14 | 2 | 80 % | 4 |"

# ---- the labs' kernels ----

sh "$here/limits.sh" "$build" --check >"$work/report" 2>&1
status=$?
grep -v ' passed, ' "$work/report"
expect "as many kernels as before are limited by what Nsight Compute says" 0 "1 passed, 0 failed"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
