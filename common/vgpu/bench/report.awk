# report.awk - model-report.md from what a GPU was measured to need and what the model says:
#   awk [-v check=1] -f report.awk h200/steps.csv MODEL_STEPS h200/labs.csv MODEL_LABS [LIST [REASONS]]
# Rows are joined by name; a row that only one side has is an error (exit 2). With check=1 a missed bar ends with 1.
# LIST (family,step,group) says which families are open or held out: those are told by themselves, without bars. Of a lab it is a
# single stage.
# REASONS (family,reason): why rows of a family are further off than a row should be; with check=1 they must stand there.
# The rows of baselines are shown and never counted: their speedup is 1 by definition.

BEGIN { FS = ","; bar_median = 10; bar_near = 90; near = 25; bar_worst = 50; apart = 1.10 }

FNR == 1 { file++; header = 0 }
/^#/ { next }
file < 5 && !header { header = 1; next }
file == 1 { measured_steps[++nsteps] = $1 "," $2; hardware[$1 "," $2] = $3 }
file == 2 { model[$1 "," $2] = $3; limiter[$1 "," $2] = $4 }
file == 3 { measured_labs[++nlabs] = $0 }
file == 5 { part_of[$1 ~ /^lab[0-9]/ ? $1 "," $2 : $1] = $3 }
file == 6 { reason_of[$1] = substr($0, length($1) + 2) }
file == 4 {
    key = $1 "," $2 "," $3
    lab_baseline[key] = $6; lab_time[key] = $7; lab_speedup[key] = $8; limiter[key] = $9
}

# ---- rows: group (what is ordered together), label, both times, both speedups ----

function add(table_name, group_name, label_text, hardware_us, model_us, hardware_speedup, model_speedup, what,
             is_row, is_own)
{
    if (model_us == "" || model_us + 0 <= 0) {
        print "The model has no time for " table_name ", " label_text "." > "/dev/stderr"
        is_broken = 1
        return
    }
    n++
    table[n] = table_name; group[n] = group_name; label[n] = label_text; what_limits[n] = what
    hw_us[n] = hardware_us; md_us[n] = model_us; hw[n] = hardware_speedup; md[n] = model_speedup
    is_counted[n] = is_row; is_ordered[n] = is_own
    error[n] = 100 * (model_speedup / hardware_speedup - 1)
}

function add_steps(    i, key, part, base)
{
    for (i = 1; i <= nsteps; i++) {
        key = measured_steps[i]
        split(key, part, ",")
        if (part[1] != family) {
            family = part[1]
            base = key
        }
        add(part[1], part[1], part[2], hardware[key], model[key], hardware[base] / hardware[key],
            model[key] > 0 ? model[base] / model[key] : 0, limiter[key], key != base, 1)
    }
}

# A baseline is a row of its own, with the times of the first stage that is measured against it.
function add_labs(    i, f, key, place)
{
    for (i = 1; i <= nlabs; i++) {
        split(measured_labs[i], f, ",")
        key = f[1] "," f[2] "," f[3]
        place = f[1] " " f[5]
        if (f[7] == "")
            continue
        if (!(place in has_baseline)) {
            has_baseline[place] = 1
            add(f[1], place, f[5], f[6], lab_baseline[key], 1, 1, "", 0, 1)
        }
        if (f[4] == "true")
            continue
        add(f[1], place, f[2] == f[3] ? f[2] : f[3] " as " f[2], f[7], lab_time[key], f[8], lab_speedup[key],
            limiter[key], 1, f[2] == f[3])
    }
}

# ---- figures ----

function absolute(x) { return x < 0 ? -x : x }

function median(values, count,    i, j, x)
{
    for (i = 2; i <= count; i++) {
        x = values[i]
        for (j = i - 1; j >= 1 && values[j] > x; j--)
            values[j + 1] = values[j]
        values[j + 1] = x
    }
    return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
}

function is_of(i, part,    row)
{
    row = table[i] "," label[i]
    return (row in part_of ? part_of[row] : table[i] in part_of ? part_of[table[i]] : "checked") == part
}

# Of one part of the rows: those that are checked, are open, or were held out.
function count_errors(part,    i)
{
    ncounted = nnear = worst = 0
    split("", errors)
    split("", time_errors)
    for (i = 1; i <= n; i++) {
        if (!is_counted[i] || !is_of(i, part))
            continue
        errors[++ncounted] = absolute(error[i])
        time_errors[ncounted] = absolute(100 * (md_us[i] / hw_us[i] - 1))
        nnear += errors[ncounted] <= near
        if (errors[ncounted] > worst) {
            worst = errors[ncounted]
            worst_row = i
        }
    }
}

# Pairs of a group whose times differ by more than a tenth on hardware must stand in the same order in the model.
function compare_orders(part,    i, j)
{
    npairs = nwrong = 0
    for (i = 1; i <= n; i++)
        for (j = i + 1; j <= n; j++) {
            if (group[i] != group[j] || !is_ordered[i] || !is_ordered[j] || !is_of(i, part))
                continue
            if (hw[i] / hw[j] <= apart && hw[j] / hw[i] <= apart)
                continue
            npairs++
            if (hw[i] > hw[j] ? md[i] > md[j] : md[i] < md[j])
                continue
            wrong_pair[++nwrong] = sprintf("| %s | %s, %s | %.2f, %.2f | %.2f, %.2f |", table[i], label[i], label[j],
                                           hw[i], hw[j], md[i], md[j])
        }
}

# ---- the report ----

function put_tables(    i)
{
    for (i = 1; i <= n; i++) {
        if (table[i] != table[i - 1])
            printf "\n## %s\n\n| version | H200 us | model us | H200 speedup | model speedup | error | limiter |\n" \
                   "|---|--:|--:|--:|--:|--:|---|\n", table[i]
        printf "| %s | %.1f | %.1f | %.2f | %.2f | %s | %s |\n", label[i], hw_us[i], md_us[i], hw[i], md[i],
               is_counted[i] ? sprintf("%+.0f %%", error[i]) : "baseline", what_limits[i]
    }
}

function verdict(is_met) { failed += !is_met; return is_met ? "met" : "MISSED" }

function put_summary(    middle, share)
{
    middle = median(errors, ncounted)
    share = 100 * nnear / ncounted
    printf "| figure | value | bar | |\n|---|--:|--:|---|\n"
    printf "| pairs in the wrong order | %d of %d | 0 | %s |\n", nwrong, npairs, verdict(nwrong == 0)
    printf "| median error of speedups | %.1f %% | %d %% | %s |\n", middle, bar_median, verdict(middle <= bar_median)
    printf "| speedups within %d %% | %.1f %% of %d | %d %% | %s |\n", near, share, ncounted, bar_near,
           verdict(share >= bar_near)
    printf "| worst speedup: %s, %s | %.1f %% | %d %% | %s |\n", table[worst_row], label[worst_row], worst, bar_worst,
           verdict(worst <= bar_worst)
    printf "| median error of times | %.1f %% | | |\n", median(time_errors, ncounted)
}

# Without bars.
function put_part(part, title,    share)
{
    count_errors(part)
    compare_orders(part)
    if (!ncounted)
        return
    share = 100 * nnear / ncounted
    printf "\n| %s | value |\n|---|--:|\n", title
    printf "| pairs in the wrong order | %d of %d |\n", nwrong, npairs
    printf "| median error of speedups | %.1f %% |\n", median(errors, ncounted)
    printf "| speedups within %d %% | %.1f %% of %d |\n", near, share, ncounted
    printf "| median error of times | %.1f %% |\n", median(time_errors, ncounted)
}

function put_orders(    i)
{
    if (!nwrong)
        return
    printf "\n## In the wrong order\n\n| family | versions | H200 speedups | model speedups |\n|---|---|---|---|\n"
    for (i = 1; i <= nwrong; i++)
        print wrong_pair[i]
}

# Rows whose speedup or time is far off, and why; those that are held out are not looked at.
function put_far(    i, time_error)
{
    printf "\n## Further off than %d %%, and why\n\n| family | version | speedup | time | why |\n|---|---|--:|--:|---|\n", near
    for (i = 1; i <= n; i++) {
        time_error = 100 * (md_us[i] / hw_us[i] - 1)
        if (is_of(i, "held out") || (absolute(error[i]) <= near && absolute(time_error) <= near))
            continue
        printf "| %s | %s | %s | %+.0f %% | %s |\n", table[i], label[i],
               is_counted[i] ? sprintf("%+.0f %%", error[i]) : "baseline", time_error,
               table[i] in reason_of ? reason_of[table[i]] : "NO REASON"
        nunknown += !(table[i] in reason_of)
    }
}

END {
    add_steps()
    add_labs()
    if (is_broken || file < 4 || n == 0)
        exit 2
    count_errors("checked")
    compare_orders("checked")
    print "# The timing model beside an H200\n"
    print "Written by `make model-report` from the data in `h200/`, which `record.sh` recorded. A speedup is over the"
    print "first version of a family, or over the baseline of a lab's stage; an error is that of the model's speedup."
    print "`tiled as padded`: the step before, in a stage's place. Steps run with a warm L2, labs with a cold one.\n"
    put_summary()
    put_orders()
    put_part("open", "families that the model does not fit yet")
    put_part("held out", "families held out while the model is made")
    if (file >= 6)
        put_far()
    failed += nunknown > 0
    put_tables()
    exit check && failed ? 1 : 0
}
