#!/bin/sh
# layers.sh - draws which room of the house uses which, from the object files, and fails where an arrow points up:
# layers.sh FLOORS BUILD OBJECT...
# FLOORS lists the rooms, a floor per line, from the ground up. A room is the folder of an object below BUILD. Files of one
# room that need each other in a circle are a failure too, and so is a header that is included from below.
# Needs nm and awk.
set -eu
floors=$1 build=$2
shift 2
[ $# -gt 0 ] || { echo "layers: no object files were named" >&2; exit 2; }

# A line per header that a room includes: "include ROOM HEADER".
includes() {
    for room in $(grep -v '^#' "$floors"); do
        for folder in "common/$room" "$room"; do
            [ -d "$folder" ] || continue
            grep -hs '^#include "' "$folder"/*.[ch] "$folder"/*.cu | sed "s,^#include \"\([^\"]*\)\".*,include $room \1,"
        done
    done
}

{ includes; nm -A "$@"; } | awk -v build="$build/" '
    FNR == NR {
        if ($0 ~ /^#/ || NF == 0) next
        top++
        for (i = 1; i <= NF; i++) { floor[$i] = top; on[top] = on[top] " " $i }
        next
    }
    $1 == "include" {
        header = $3; sub(/\/[^\/]*$/, "", header)
        to = ("vgpu/" header) in floor && $2 ~ /^vgpu\// ? "vgpu/" header : header
        if (to in floor && to != $2 && floor[to] >= floor[$2] && !(($2, $3) in told)) {
            told[$2, $3] = 1; bad = 1; ups[++nups] = $2 " includes " $3
        }
        next
    }
    # file:address type name, or file:            U name
    {
        file = $1; sub(/:.*/, "", file); sub(build, "", file); sub(/\.o$/, "", file); sub(/^grade\//, "grader/", file)
        name = $NF; type = $(NF - 1)
        if (!(file in room)) { r = file; if (file != "grader/main" && !sub(/\/[^\/]*$/, "", r)) r = file; if (file == "vgpu/gpus") r = file; room[file] = r; files[++nfiles] = file }
        if (type == "U") uses[++nuses] = file SUBSEP name
        else if (type ~ /^[TDBRVWCG]$/) owners[name] = owners[name] " " file
    }
    END {
        for (i = 1; i <= nfiles; i++) if (!(room[files[i]] in floor)) { lost[room[files[i]]] = 1; bad = 1 }
        for (i = 1; i <= nuses; i++) {
            split(uses[i], use, SUBSEP); from = use[1]
            n = split(owners[use[2]], list, " ")
            for (k = own = 0; k++ < n;) own += room[list[k]] == room[from]
            for (k = 1; k <= n; k++) {
                to = list[k]
                if (to == from || (own && room[to] != room[from])) continue
                if (room[to] == room[from]) { if (!((from, to) in inner)) { inner[from, to] = 1; next_of[from] = next_of[from] " " to } }
                else { arrow[room[from], room[to]]++; if (!((room[from], room[to]) in sample)) sample[room[from], room[to]] = from " -> " to ": " use[2] }
            }
        }
        for (f = top; f >= 1; f--) draw_floor(f)
        for (i = 1; i <= nups; i++) print "layers: " ups[i] ", which lies above it or beside it"
        for (r in lost) print "layers: no floor has a room " r ": add it to the list"
        for (key in arrow) {
            split(key, pair, SUBSEP)
            if (floor[pair[1]] > floor[pair[2]]) continue
            printf "layers: %s -> %s points up or sideways (%d uses): %s\n", pair[1], pair[2], arrow[key], sample[key]; bad = 1
        }
        find_circles()
        rooms = 0; for (r in floor) rooms++
        print nfiles " files in " rooms " rooms"
        print bad ? "The house does not stand: see above." : "Every arrow points down."
        print rooms - bad " passed, " (bad + 0) " failed"
        exit bad
    }
    function draw_floor(f,   n, list, i) {
        n = split(on[f], list, " ")
        for (i = 1; i <= n; i++) draw_room(f, list[i])
    }
    function draw_room(f, r,   g, n, list, i, line) {
        line = ""
        for (g = f - 1; g >= 1; g--) {
            n = split(on[g], list, " ")
            for (i = 1; i <= n; i++) if ((r, list[i]) in arrow) line = line " " list[i]
        }
        printf "%2d  %-14s%s%s\n", f, r, line == "" ? "" : " ->", line
    }
    # Takes away, again and again, files that need nobody of their room who is left: what stays goes in circles.
    function find_circles(   i, k, n, list, changed, free, line) {
        do {
            changed = 0
            for (i = 1; i <= nfiles; i++) {
                if (gone[files[i]]) continue
                n = split(next_of[files[i]], list, " "); free = 1
                for (k = 1; k <= n; k++) if (!gone[list[k]]) free = 0
                if (free) { gone[files[i]] = 1; changed = 1 }
            }
        } while (changed)
        for (i = 1; i <= nfiles; i++) {
            if (gone[files[i]]) continue
            line = ""; n = split(next_of[files[i]], list, " ")
            for (k = 1; k <= n; k++) if (!gone[list[k]]) line = line " " list[k]
            print "layers: in a circle, or in need of one: " files[i] " ->" line; bad = 1
        }
    }' "$floors" -
