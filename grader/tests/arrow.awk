# arrow.awk - is an arrow about its finding? The section of a stage in a report comes in; the files named behind it are the lab's own
# (skeleton, header), whose names an arrow may use. Says what is wrong; nothing if all is well.
# 1. Names in the arrow (of code: with _, a call, an index, between backticks) are the finding's, the lab's or CUDA's.
# 2. Where the finding names an array, a line or a call, so does the arrow; where it is a counter, both share a word.
function is_cudas(name) {
    return name ~ /^(cuda|__|atomic|tex[123]D|curand|cub|std|warp)/ ||
        name ~ /^(threadIdx|blockIdx|gridDim|blockDim|warpSize|sizeof|dim3|float[234]?|u?int[234]?|double|unsigned|size_t|long|short|char|volatile|const|constexpr|if|for|while|exp|sqrt|printf|min|max|pitchInBytes|addressMode|INFINITY|NaN|NULL|CHECK|CHECK_LAUNCH|main|return|continue|break)$/
}
function words_of(text, into,    word) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(text, RSTART, RLENGTH)
        into[word] = 1
        text = substr(text, RSTART + RLENGTH)
    }
}
# Names of code in a text.
function names_of(text, into,    word, before, after) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
        after = substr(text, RSTART + RLENGTH, 1)
        if (word ~ /_|[a-z][A-Z]/ || after == "(" || after == "[" || before == "`")
            into[word] = 1
        text = substr(text, RSTART + RLENGTH)
    }
}
FILENAME != "-" { words_of($0, known); next }
/^ *-> / { is_arrow = 1; match($0, / *-> /); column = RLENGTH }
is_arrow && !/^ *-> / && (match($0, /[^ ]/) == 0 || RSTART <= column) { exit }
is_arrow { sub(/^ *(-> )?/, ""); arrow = arrow " " $0; next }
{ sub(/^ */, ""); finding = finding " " $0 }
END {
    if (arrow == "")
        exit
    words_of(finding, known)
    names_of(arrow, used)
    for (name in used)
        if (!(name in known) && !is_cudas(name))
            print "the arrow names `" name "`, which neither the finding nor the lab does"
    # what the finding names
    rest = finding
    while (match(rest, /[.]cu:[0-9]+/)) {
        named["line " substr(rest, RSTART + 4, RLENGTH - 4)] = 1
        rest = substr(rest, RSTART + RLENGTH)
        has_named = 1
    }
    rest = finding
    while (match(rest, /`[A-Za-z_0-9]+`|[A-Za-z_0-9]+\[|[A-Za-z_0-9]+\(\)/)) {
        name = substr(rest, RSTART, RLENGTH)
        gsub(/[^A-Za-z_0-9]/, "", name)
        named[name] = 1
        rest = substr(rest, RSTART + RLENGTH)
        has_named = 1
    }
    for (name in named)
        if (arrow ~ "(^|[^A-Za-z_0-9])[`Ll]*" substr(name, name ~ /^line /? 2 : 1) "([^A-Za-z_0-9]|$)")
            exit
    if (has_named)
        print "the arrow names nothing that the finding names:" arrow
    else if (match(finding, /now [0-9.]+, goal/)) {
        n = split(tolower(arrow), word, /[^a-z]+/)
        for (i = 1; i <= n; i++)
            if (length(word[i]) >= 4 && index(tolower(finding), substr(word[i], 1, length(word[i]) > 5 ? length(word[i]) - 1 : 4)))
                exit
        print "the arrow has no word of the counter that was missed:" arrow
    }
}
