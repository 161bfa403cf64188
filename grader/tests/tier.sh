#!/bin/sh
# tier.sh - the cases of a suite that `make test` runs: tier.sh honest|attacks|mistakes
# The first few of each stage (attacks: of each principle) of a lab, without those that say "long: WHY" in their first lines;
# `make test-long` runs the others.
cd "$(dirname "$0")/$1" || exit 2
case $1 in
honest) most=1 key='stage: ' ;;
attacks) most=3 key='principle: ' ;;
mistakes) most=2 key='stage: ' ;;
esac
awk -v most=$most -v key="$key" '
    FNR == 1 { take(); name = FILENAME; kind = ""; is_long = 0 }
    FNR > 8 { next }
    { sub(/^(#|\/\/) /, "") }
    index($0, key) == 1 { kind = $0 }
    /^long: / { is_long = 1 }
    function take(    lab) {
        lab = name
        sub(/\/.*/, "", lab)
        if (name == "" || is_long || ++count[lab, kind] > most)
            return
        sub(/\//, "-", name)
        sub(/[.][a-z]*$/, "", name)
        print name
    }
    END { take() }' $(ls */*.cu */*.patch 2>/dev/null)
