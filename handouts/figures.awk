# figures.awk - every figure in prose has one source, and equals it: awk -f figures.awk [-v list=1] RECORD.csv... figures.txt TEXT...
# A figure is a number with a unit (µs, GB/s, ×, %, ...) in a handout or a picture, outside of the tables that programs write. A row of
# figures.txt quotes the words around it, with {} in place of each number, and says where each comes from; see there. Figures without
# a row, rows without a figure, and numbers that differ from their source are faults; list=1: figures without a row, with records
# that would round to it.
#
# Records are CSV files whose first columns are a row's name: value["steps:matmul.column"], and ".COLUMN" behind it where a row has
# several values.
BEGIN {
    split("h200 2 steps 2 micro 1 transfers 1 calls 1 hosts 1 labs 3 limits 2 counters 2 reference 1 once 1", words, " ")
    for (i = 1; i in words; i += 2)
        nkeys[words[i]] = words[i + 1]
    number = "[0-9]+([.,][0-9]+)*(e[0-9]+)?"
    unit = "( ?(µs|us|ms|ns|GB/s|TB/s|MB/s|GFLOP/s|TFLOP/s|Gpoints/s|times|clocks|cycles|clock cycles|%)|×|x)"
}

# ---- files ----

FNR == 1 { kind = begin_file(FILENAME) }
kind == "record" && !/^#/ { keep_record() }
kind == "gpu" && /^[a-z0-9_]+ *=/ {
    split($0, part, / *= */)
    sub(/ *#.*/, "", part[2])
    value["gpu:" name "." part[1]] = part[2]
}
kind == "report" && /^## / { kind = "" }
kind == "report" && /^\| / { keep_accuracy() }
kind == "rows" && /^[^# ]/ { owner = $0; next }
kind == "rows" && /^ / { keep_row() }
kind == "text" { text[FILENAME] = text[FILENAME] keep_line($0) }

function begin_file(path,   base) {
    base = path
    sub(/.*\//, "", base)
    if (path ~ /figures\.txt$/) { FS = " "; return "rows" }
    if (path ~ /model-report\.md$/) { FS = " "; return "report" }
    if (path ~ /\.gpu$/) { name = base; sub(/\.gpu$/, "", name); return "gpu" }
    if (path ~ /\.csv$/) {
        name = base
        sub(/\.csv$/, "", name)
        lab = path
        if (name == "reference") { sub(/\/reference\.csv$/, "", lab); sub(/.*\//, "", lab); sub(/-.*/, "", lab) }
        ncolumns = 0
        return "record"
    }
    texts[++ntexts] = path
    is_table = 0
    return "text"
}

function keep_record(   n, cell, i, key, keys) {
    n = split($0, cell, ",")
    if (!ncolumns) {
        ncolumns = n
        for (i = 1; i <= n; i++)
            column[i] = cell[i]
        return
    }
    keys = nkeys[name]
    key = name == "reference" ? lab : name
    for (i = 1; i <= keys; i++)
        key = key (i == 1 ? ":" : ".") cell[i]
    for (i = keys + 1; i <= n; i++) {
        if (cell[i] !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ || (key "." column[i]) in value)
            continue
        value[key "." column[i]] = cell[i]
        if (i == keys + 1 && name != "h200")
            value[key] = cell[i]
    }
}

# The model's accuracy: of the families it was made with (made), of later ones (open), and of those held out (held).
function keep_accuracy(   cell, word, part) {
    split($0, cell, / *[|] */)
    if (cell[2] == "figure") accuracy = "made"
    if (cell[2] ~ /does not fit yet$/) accuracy = "open"
    if (cell[2] ~ /held out/) accuracy = "held"
    part = "model:" accuracy
    split(cell[3], word, " ")
    if (cell[2] == "pairs in the wrong order") { value[part ".wrong"] = word[1]; value[part ".pairs"] = word[3] }
    if (cell[2] == "median error of speedups") value[part ".median"] = word[1]
    if (cell[2] == "speedups within 25 %") value[part ".near"] = word[1]
    if (cell[2] ~ /^worst speedup/) value[part ".worst"] = word[1]
}

# The last bar divides a row: words of a table have bars of their own.
function keep_row(   bar) {
    bar = match($0, / [|] [^|]*$/)
    if (!bar) { fault("figures.txt:" FNR ": a row is WORDS | SOURCE, SOURCE"); return }
    rows++
    row_file[rows] = owner
    row_line[rows] = FNR
    row_words[rows] = squeeze(substr($0, 1, bar - 1))
    row_sources[rows] = squeeze(substr($0, bar + 3))
}

# A line as it counts: without the tables that programs write, without marks that readers do not see.
function keep_line(line) {
    if (line ~ /^<!-- (expected|gpus|limits|lectures)/) is_table = 1
    if (line ~ /^<!-- end -->/) { is_table = 0; return "" }
    if (is_table) return ""
    if (FILENAME ~ /\.svg$/ && line !~ /^<text/ && line !~ /^<title/ && line !~ /^<desc/) return ""
    gsub(/<!--[^>]*-->/, "", line)
    if (FILENAME ~ /\.svg$/) gsub(/<[^>]*>/, " ; ", line)
    return line " "
}

function squeeze(line) {
    gsub(/[ \t]+/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    return line
}

# ---- expressions: a name of a record, a number, + - * / and brackets, with blanks between them ----

function evaluate(source) {
    ntokens = split(source, token, " ")
    at = 1
    unknown = ""
    return sum_of()
}
function sum_of(   left, op) {
    left = product_of()
    while (token[at] == "+" || token[at] == "-") {
        op = token[at++]
        left = op == "+" ? left + product_of() : left - product_of()
    }
    return left
}
function product_of(   left, op, right) {
    left = atom_of()
    while (token[at] == "*" || token[at] == "/") {
        op = token[at++]
        right = atom_of()
        left = op == "*" ? left * right : right ? left / right : 0
    }
    return left
}
function atom_of(   word, inner) {
    word = token[at++]
    if (word == "(") { inner = sum_of(); at++; return inner }
    if (word ~ /^[0-9.]+(e[0-9]+)?$/) return word + 0
    if (!(word in value)) unknown = unknown " " word
    return value[word]
}

# ---- the comparison ----

# Half a unit of its last digit, or what the source allows: "~ 5 %".
function is_equal(said, source,   digits, plain, tolerance, expected) {
    plain = said
    gsub(/,/, "", plain)
    tolerance = 0
    if (match(source, / ~ [0-9.]+ %$/)) {
        tolerance = substr(source, RSTART + 3, RLENGTH - 5) / 100
        source = substr(source, 1, RSTART - 1)
    }
    expected = evaluate(source)
    last_expected = expected
    if (unknown != "") return 0
    digits = index(plain, ".") && plain !~ /e/ ? length(plain) - index(plain, ".") : 0
    slack = plain ~ /e/ ? expected * 0.05 : 0.5000001 * 10 ^ -digits
    if (tolerance * expected > slack) slack = tolerance * expected
    return expected - plain <= slack && plain - expected <= slack
}

function file_of(owner,   i) {
    for (i = 1; i <= ntexts; i++)
        if (texts[i] == owner || texts[i] ~ ("/" owner "$")) return texts[i]
    return ""
}

# Where the words of a row stand, {} for any number: 0 if nowhere. Sets found[], spot[]: the numbers, and where they are.
function find_row(words, body, from,   part, n, i, start, rest, p, q, after) {
    n = split(words, part, /\{\}/)
    start = from
    while (1) {
        p = index(substr(body, start), part[1] == "" ? part[2] : part[1])
        if (!p) return 0
        p += start - 1
        after = p + 1
        if (part[1] == "") {
            q = p
            while (q > 1 && substr(body, q - 1, 1) ~ /[0-9.,]/) q--
            if (q == p) { start = after; continue }
            p = q
        }
        q = p + length(part[1])
        for (i = 2; i <= n; i++) {
            rest = substr(body, q)
            if (!match(rest, "^" number)) break
            found[i - 1] = substr(rest, 1, RLENGTH)
            spot[i - 1] = q
            q += RLENGTH
            if (substr(body, q, length(part[i])) != part[i]) break
            q += length(part[i])
        }
        if (i > n) { row_end = q; return p }
        start = after
    }
}

function check_row(r,   path, body, nsources, source, n, i, words) {
    path = file_of(row_file[r])
    if (path == "") { fault("figures.txt:" row_line[r] ": there is no text " row_file[r]); return }
    words = row_words[r]
    n = gsub(/\{\}/, "{}", words)
    nsources = split(row_sources[r], source, / *, */)
    if (n != nsources) { fault("figures.txt:" row_line[r] ": " n " numbers, " nsources " sources"); return }
    if (!find_row(row_words[r], text[path], 1)) { fault(path ": figures.txt:" row_line[r] " quotes what it does not say: " row_words[r]); return }
    do {
        for (i = 1; i <= n; i++) {
            is_covered[path, spot[i]] = 1
            if (source[i] ~ /^(lecture|defined|report)$/) continue
            if (!is_equal(found[i], source[i]))
                fault(path ": \"" substr(text[path], spot[i] - 30 > 0 ? spot[i] - 30 : 1, 60) "\": " found[i] \
                      (unknown != "" ? ", and there is no record" unknown : ", where " source[i] " is " sprintf("%.5g", last_expected)))
        }
    } while (find_row(row_words[r], text[path], row_end))
}

function suggest(said, path,   key, names, count, own) {
    own = path
    sub(/.*\//, "", own)
    sub(/-.*/, "", own)
    for (key in value)
        if (count < 8 && (own !~ /^lab/ || key !~ /lab[0-9]/ || index(key, own)) && value[key] + 0 != 0 && (is_equal(said, key) || is_equal(said, key " / 1000"))) {
            names = names " " key
            count++
        }
    return names
}

function check_cover(path,   body, from, rest, said) {
    body = text[path]
    from = 1
    while (match(rest = substr(body, from), number unit)) {
        from += RSTART - 1
        said = substr(rest, RSTART, RLENGTH)
        if (substr(body, from - 1, 1) !~ /[A-Za-z0-9_.^-]/ && substr(body, from + RLENGTH, 1) !~ /[A-Za-z0-9_\/]/) {
            figures++
            match(said, "^" number)
            if (!is_covered[path, from])
                fault(path ": no source for " said " in \"" substr(body, from - 40 > 0 ? from - 40 : 1, 80) "\"" \
                      (list ? suggest(substr(said, 1, RLENGTH), path) : ""))
        }
        match(rest, number unit)
        from += RLENGTH
    }
}

function fault(what) {
    faults++
    print what
}

END {
    for (i = 1; i <= ntexts; i++)
        text[texts[i]] = squeeze(text[texts[i]])
    for (r = 1; r <= rows; r++)
        check_row(r)
    for (i = 1; i <= ntexts; i++)
        check_cover(texts[i])
    printf "%d figures, %d rows, %d faults\n", figures, rows, faults >"/dev/stderr"
    exit faults > 0
}
