# hollow.awk - a CUDA source without its device code: kernels lose their bodies, device functions and comments are left out, host code stays.
# What nvcc makes of it has the names and parameters of the whole source: the fatbin of one fits the object of the other.
# A declaration is collected up to the `;` or `{` that ends its head; what is skipped ends with the brace that closes it.
{ text = text $0 "\n" }

function head_ends(with_body) # decides about what was collected
{
    if (with_body && head ~ /__global__/) {
        printf "%s{\n}", head
        skipped = 1
    } else if (with_body && head ~ /__device__/ && head !~ /__host__/ && head ~ /\(/)
        skipped = 1
    else
        printf "%s%s", head, with_body ? "{" : ""
    head = ""
}

END {
    for (n = length(text); at < n; at += length(token)) {
        rest = substr(text, at + 1)
        is_line_start = !at || substr(text, at, 1) == "\n"
        if (match(rest, /^\/\*([^*]|\*+[^*\/])*\*+\//) || match(rest, /^\/\/[^\n]*/)) {
            token = substr(rest, 1, RLENGTH) # a comment
            continue
        }
        if (is_line_start && match(rest, /^#([^\n\\]|\\.|\\\n)*\n/)) {
            token = substr(rest, 1, RLENGTH)
            if (!skipped) { printf "%s%s", head, token; head = "" }
            continue
        }
        token = match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/) || match(rest, /^[A-Za-z0-9_]+/) ||
                match(rest, /^[ \t]+/) ? substr(rest, 1, RLENGTH) : substr(rest, 1, 1)
        if (skipped) {
            skipped += (token == "{") - (token == "}")
            continue
        }
        parentheses += (token == "(") - (token == ")")
        if (token == "{" && !parentheses)
            head_ends(1)
        else if (token == ";" || token == "}") {
            head = head token
            if (!parentheses)
                head_ends(0)
        } else
            head = head token
    }
    printf "%s", head
}
