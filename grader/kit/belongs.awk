# belongs.awk - which files are the kit's: awk -v left_out=FILE -f belongs.awk TRACKED UNTRACKED STORES, lists of paths; prints those to pack.
# A file is the kit's if it has a place there, lies beside no store of results (STORES: their folders), and is tracked or of a new lab, of
# which nothing is tracked. To the file `left_out` go the others, a folder that is none of the kit's in one line.
FILENAME == ARGV[3] { store[$0]; next }
{
    paths[++count] = $0
    is_tracked[count] = FILENAME == ARGV[1]
    split($0, part, "/")
    if ($0 ~ /^labs\/lab[^\/]+\/lab[^\/]*\.c$/)
        has_driver[part[2]]
    if ($0 ~ /^labs\/[^\/]+\// && is_tracked[count])
        is_known_lab[part[2]]
}

# Of a lab's folder what make's rules read, the skeleton's copy for ./grade reset, and the lab's handout. Sets `lab`.
function is_of_lab(path,    part, n, id)
{
    n = split(path, part, "/")
    lab = part[1] == "labs" ? part[2] : part[1] == "common" ? part[4] : part[2]
    if (part[1] == "handouts")
        sub(/\.md$/, "", lab)
    if (!(lab in has_driver))
        return 0
    id = lab
    sub(/-.*/, "", id)
    if (part[1] == "labs")
        return n == 3 && (part[3] ~ /^[A-Za-z0-9_]+\.[ch]$/ || part[3] == id ".cu" || part[3] == "reference.csv")
    return part[1] == "handouts" ? n == 2 && path ~ /\.md$/ : n == 5 && part[5] == id ".cu"
}

function has_place(path)
{
    if (path ~ /^(labs\/|common\/lab\/skeletons\/|handouts\/lab[0-9])/)
        return is_of_lab(path)
    return path ~ /^(Makefile|README\.md|\.clang-(format|tidy)|\.vscode\/[a-z_]+\.json)$/ ||
           path ~ /^common\/.*\.(c|h|cu|cuh|cpp|def|mk|awk|sh|js|css|md|txt|gpu|ptx)$/ ||
           path ~ /^grader\/.*\.(c|h|def|mk|awk|sh|js|css)$/ ||
           path ~ /^handouts\/[^\/]*\.(md|mk|awk|sh)$/ ||
           path ~ /^handouts\/pages\/[^\/]*\.(js|sh|css|html|xml|lua|awk|markdown)$/ ||
           path ~ /^handouts\/pictures\/[^\/]*\.(svg|png|awk|sh)$/
}

function is_beside_store(path,    folder)
{
    for (folder in store)
        if (index(path, folder) == 1)
            return 1
    return 0
}

function belongs(i)
{
    if (!has_place(paths[i]) || is_beside_store(paths[i]))
        return 0
    if (is_tracked[i])
        return 1
    return paths[i] ~ /^(labs|common\/lab\/skeletons|handouts)\// && is_of_lab(paths[i]) && !(lab in is_known_lab)
}

END {
    for (i = 1; i <= count; i++)
        if (belongs(i))
            print paths[i]
        else {
            name = paths[i]
            is_inside = name ~ /^(labs|handouts|common|grader|\.vscode)\//
            if (name ~ /\// && !is_inside)
                sub(/\/.*/, "/", name)
            if (!others[name]++)
                order[is_inside, ++names[is_inside]] = name
        }
    for (is_inside = 0; is_inside <= 1; is_inside++)
        for (i = 1; i <= names[is_inside]; i++) {
            name = order[is_inside, i]
            print name (others[name] > 1 ? " (" others[name] " files)" : "") >left_out
        }
}
