# limits.awk - how near labs come to the GPU's limits, from a record of make bench: awk -v labs="lab3 lab4" -f limits.awk h200.csv
# Of each lab the stage it begins with and the one that comes nearest.
BEGIN { FS = ","; n = split(labs, order, " "); limit["copy"] = "a copy"; limit["FMA"] = "the FMA peak" }
$7 != "" && $10 + 0 > 0 {
    share = $7 / $10
    if (!($1 in first)) { first[$1] = $2; first_share[$1] = share }
    if (share > best_share[$1]) { best[$1] = $2; best_share[$1] = share; rate[$1] = $7; unit[$1] = $8; of[$1] = limit[$9] }
}
END {
    print "| | first stage | its share | best stage | its share | its rate | share of |"
    print "|---|---|---:|---|---:|---:|---|"
    for (i = 1; i <= n; i++) {
        lab = order[i]
        printf "| %s | %s | %.1f %% | %s | %.0f %% | %.0f %s | %s |\n", lab, first[lab], 100 * first_share[lab], best[lab],
            100 * best_share[lab], rate[lab], unit[lab], of[lab]
    }
}
