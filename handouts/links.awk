# links.awk - links that lead nowhere: awk -f links.awk FILE.md...
# A link's file must exist, from where the text stands, and its #anchor must be a heading there, as GitHub names them.
function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /[^\/]*$/) - 1) : "" }
function normal(path,   n, part, i, top, kept, text) {
    n = split(path, part, "/")
    for (i = 1; i <= n; i++) {
        if (part[i] == "..") top--
        else if (part[i] != "." && part[i] != "") kept[++top] = part[i]
    }
    for (i = 1; i <= top; i++)
        text = text (i > 1 ? "/" : "") kept[i]
    return text
}
function exists(path,   line, status) {
    status = (getline line < path) >= 0
    close(path)
    return status || system("test -d '" path "'") == 0
}
function anchor(heading) {
    heading = tolower(heading)
    gsub(/\]\([^)]*\)/, "", heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
FNR == 1 { is_code = 0 }
/^ *```/ { is_code = !is_code; next }
is_code || /^    / { next }
/^#+ / {
    heading = $0
    sub(/^#+ +/, "", heading)
    name = anchor(heading)
    twin = seen[FILENAME, name]++
    is_anchor[FILENAME "#" name (twin ? "-" twin : "")] = 1
}
{
    rest = $0
    gsub(/`[^`]*`/, "", rest)
    while (match(rest, /\]\([^) ]+\)/)) {
        target = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        if (target !~ /^[a-z]+:/) {
            from[++count] = FILENAME
            line[count] = FNR
            to[count] = target
        }
    }
}
END {
    for (i = 1; i <= count; i++) {
        path = to[i]
        sub(/#.*/, "", path)
        path = path == "" ? from[i] : normal(folder(from[i]) path)
        if (!(path in known)) known[path] = exists(path)
        if (!known[path])
            print from[i] ":" line[i] ": links to " to[i] ", which is not there"
        else if (to[i] ~ /#/ && !((path substr(to[i], index(to[i], "#"))) in is_anchor))
            print from[i] ":" line[i] ": links to " to[i] ", and there is no such heading"
    }
    print count " links" >"/dev/stderr"
}
