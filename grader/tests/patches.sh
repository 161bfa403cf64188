# patches.sh - what scripts that change a solution share; they begin with `. patches.sh`.
# Each grader/tests/mistakes/labN/NAME.patch turns the solution into a wrong one, those of honest/ into another right one, those of attacks/ into one that cheats; labN-NAME is
# its case, and its first lines name the stage ("# stage: ID"). The caller has set `root`, the kit's folder; for apply_patches also
# `lab` and `work`, where the file goes; `patches`, the folder, if they are not mistakes.

patch_of() { echo "$root/grader/tests/${patches:-mistakes}/${1%%-*}/${1#*-}.patch"; } # case
stage_of() { sed -n '/^---/q; s/^# stage: //p' "$(patch_of "$1")" | head -n 1; }

# ---- which share a file ----

# "lab3.2 lab3-NAME STAGE" for each: the first file of the lab in which neither spoils the other's stage.
share_out() { # case...
    for case; do
        echo "${case%%-*} $case $(stage_of "$case")"
    done | awk -v table="$root/grader/tests/${kind:-mistakes}/shared.txt" '
        BEGIN {
            while ((getline line <table) > 0)
                if (line ~ /^lab/)
                    others[substr(line, 1, index(line, " ") - 1)] = substr(line, index(line, " "))
        }
        function is_free(lab, file, case, stage,    i, n, other) {
            n = split(stage others[case], other, " ")
            for (i = 1; i <= n; i++)
                if (is_graded[lab, file, other[i]])
                    return 0
            return !is_spoilt[lab, file, stage]
        }
        function put(lab, file, case, stage,    i, n, other) {
            is_graded[lab, file, stage] = 1
            n = split(others[case], other, " ")
            for (i = 1; i <= n; i++)
                is_spoilt[lab, file, other[i]] = 1
            print lab "." file, case, stage
        }
        {
            for (file = 1; !is_free($1, file, $2, $3); file++);
            put($1, file, $2, $3)
        }'
}

# ---- a file ----

# Applies the patches of all cases, in their order; says what is wrong.
apply_patches() { # case...
    cp "$root"/solutions/"$lab"-*/"$lab".cu "$work/$lab.cu" || { echo "no solution of $lab"; return; }
    for case; do
        (cd "$work" && patch -s -p1 --no-backup-if-mismatch "$lab.cu" "$(patch_of "$case")") >"$work/patch.log" 2>&1 ||
            { echo "$case does not apply$([ $# = 1 ] || echo ' beside the others')"; cat "$work/patch.log"; return; }
    done
}

