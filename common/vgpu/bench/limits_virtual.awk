# limits_virtual.awk - what the virtual GPU says limits each kernel: awk -v lab=lab3 -f limits_virtual.awk COUNTERS_JSON...
# Rows lab,kernel,grid,block,limiter,time_us,busiest units of the first launch of each kernel with each shape that was timed.
# With field() of json.awk.
function list(key,    text)
{
    match($0, "\"" key "\":[[{][^]}]*")
    text = substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
    gsub(/"/, "", text)
    return text
}
# "dram 98, l2 65": the busiest units, in per cent.
function busiest(    n, i, j, part, word, best, text)
{
    n = split(list("busy"), part, ",")
    for (i = 1; i <= 2 && i <= n; i++) {
        best = 0
        for (j = 1; j <= n; j++) {
            split(part[j], word, ":")
            if (word[2] > best) {
                best = word[2]
                chosen = j
            }
        }
        split(part[chosen], word, ":")
        text = text (i > 1 ? " " : "") word[1] " " sprintf("%.0f", 100 * word[2])
        part[chosen] = ""
    }
    return text
}
function dims(key,    text)
{
    text = list(key)
    gsub(",", "x", text)
    return text
}
{
    row = lab "," field("kernel") "," dims("grid") "," dims("block")
    if (field("limiter") == "none" || row in seen)
        next
    seen[row] = 1
    print row "," field("limiter") "," field("time_us") "," busiest()
}
