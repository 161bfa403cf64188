# students.awk - a text as students get it: awk -f students.awk FILE.md
# What only an instructor's kit has stands between <!-- instructor --> and <!-- /instructor -->, within a line or over many, or in a line
# (of a table, say) with <!-- instructor line -->. It is left out as a whole, so a sentence must be one without it. Status 1: marks that do
# not match.
function fail(what) { print FILENAME ":" FNR ": " what >"/dev/stderr"; failed = 1; exit 1 }
/<!-- instructor line -->/ { next }
!is_cut { kept = ""; was_cut = 0 }
{
    rest = $0
    while (match(rest, /<!-- \/?instructor -->/)) {
        if (is_cut == (substr(rest, RSTART + 5, 1) != "/"))
            fail(is_cut ? "one passage for instructors begins in another" : "a passage for instructors ends that has not begun")
        if (!is_cut)
            kept = kept substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        was_cut = 1
        is_cut = !is_cut
    }
    if (is_cut)
        next
    kept = kept rest
    # A passage that was lines or a paragraph leaves no empty line of its own.
    if (was_cut && kept ~ /^ *$/ || kept == "" && was_empty)
        next
    was_empty = kept == ""
    print kept
}
END { if (!failed && is_cut) { print FILENAME ": a passage for instructors does not end" >"/dev/stderr"; exit 1 } }
