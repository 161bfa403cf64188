#!/bin/sh
# test.sh - the benchmarks behind `make model-report` and `make lecture-report`: test.sh STEPS_PROGRAM
# Every step computes what the CPU does; the reports' figures and exit status are those worked out by hand below.
steps=$1
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

say() { # truth what why
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2: $3"; fi
}

# ---- steps ----

VGPU_CHECK=full "$steps" -v >"$work/verified" 2>"$work/said"
say $? "all steps are right" "$(grep -v right "$work/verified" | head -n 3)"
grep -v 'VGPU_CHECK' "$work/said" | grep '^vgpu:' >"$work/findings"
[ ! -s "$work/findings" ]
say $? "no step has a race or an access out of bounds" "$(head -n 3 "$work/findings")"
"$steps" -l | cut -d , -f 1,2 >"$work/listed"
grep -v '^#' "$here/h200/steps.csv" | sed 1d | cut -d , -f 1,2 | cmp -s - "$work/listed"
say $? "every step was recorded on a GPU" "h200/steps.csv lists others than the program"

# ---- the report ----

report() { # model's times of b and c in the family, and of the lab's stage; options
    printf 'family,step,time_us\nf,a,100\nf,b,50\nf,c,25\n' >"$work/h_steps"
    printf 'family,step,time_us,limiter\nf,a,100,dram\nf,b,%s,dram\nf,c,%s,l2\n' "$1" "$2" >"$work/m_steps"
    printf 'lab,stage,slot,is_given,baseline,baseline_us,time_us,speedup,limiter\n' >"$work/h_labs"
    cp "$work/h_labs" "$work/m_labs"
    printf 'lab9,s,s,false,base,90,30,3,\nlab9,s,g,true,base,90,90,1,\nlab9,s,w,false,base,,,,\n' >>"$work/h_labs"
    printf 'lab9,s,s,false,base,60,%s,%s,issue\nlab9,s,g,true,base,60,60,1,issue\n' "$3" "$4" >>"$work/m_labs"
    awk -v check="$5" -f "$here/report.awk" "$work/h_steps" "$work/m_steps" "$work/h_labs" "$work/m_labs" \
        >"$work/report" 2>&1
    status=$?
}
expect() { # what status line...
    what=$1 want=$2
    shift 2
    say "$([ $status = "$want" ]; echo $?)" "$what" "status $status instead of $want"
    for line in "$@"; do
        grep -qF "$line" "$work/report"
        say $? "$what" "no line $line"
    done
}

report 50 25 20 3 1
expect "a model without error meets all bars" 0 "| pairs in the wrong order | 0 of 4 | 0 | met |" \
    "| median error of speedups | 0.0 % | 10 % | met |" "| speedups within 25 % | 100.0 % of 3 | 90 % | met |" \
    "| c | 25.0 | 25.0 | 4.00 | 4.00 | +0 % | l2 |"
report 20 25 20 3 1
expect "b before c is a wrong order, and b is off by 150 %" 1 "| pairs in the wrong order | 1 of 4 | 0 | MISSED |" \
    "| f | b, c | 2.00, 4.00 | 5.00, 4.00 |" "| worst speedup: f, b | 150.0 % | 50 % | MISSED |" \
    "| speedups within 25 % | 66.7 % of 3 | 90 % | MISSED |"
report 20 25 20 3 ''
expect "without check, a missed bar is only told" 0 "MISSED"
report 50 25 25 2.4 1
expect "a lab's speedup is over its own baseline" 0 "| s | 30.0 | 25.0 | 3.00 | 2.40 | -20 % | issue |" \
    "| base | 90.0 | 60.0 | 1.00 | 1.00 | baseline |  |"
report 50 '' 20 3 1
expect "a step that the model has no time for is an error" 2 "The model has no time for f, c."

# ---- the lectures' tables ----

lectures() { # modelled times of a, b and c, where 100, 50 and 40 were published; options
    printf '# x\ntable,gpu,row,milliseconds\nt,p100,a,100\nt,p100,b,50\nt,p100,c,40\n' >"$work/published"
    printf '#!/bin/sh\nprintf "$1,a,%s\\n$1,b,%s\\n$1,c,%s\\n"\n' "$1" "$2" "$3" >"$work/program"
    chmod +x "$work/program"
    sh "$here/lectures.sh" "$work/program" "$work/published" $4 >"$work/report" 2>&1
    status=$?
}

lectures 10 5 4 --check
expect "tables that come out pass: two ratios and three pairs" 0 "5 passed, 0 failed"
lectures 10 6.6 4 --check
expect "a ratio that is off by more than 30 % fails" 1 "4 passed, 1 failed" \
    "FAIL t: b takes 0.66 times as long as a, where 0.50 was published"
lectures 10 4.4 4.5 --check
expect "two versions in the wrong order fail" 1 "4 passed, 1 failed" "FAIL t: b should be slower than c"
lectures 10 '' 4 --check
expect "a version without a time fails" 1 "FAIL t: b takes 0.00 times"
lectures 10 6.6 4 ''
expect "without check, all of it is only told" 0 "| b | 50.00 | 6.60 | 0.50 | 0.66 | +32 % |" \
    "ratios within 30 %: 1 of 2" "order of pairs that differ by more than 10 %: 3 of 3 right"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
