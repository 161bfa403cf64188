# counters.awk - Nsight Compute's raw pages, one after another, become counters.csv:
#   awk -v metrics=A,B,... -f counters.awk
# One row for the first launch of each kernel with each grid and block; the kit's own helper kernels are left out.
function plain(text) { gsub(/[(),"]/, "", text); return text }
function shape(text) { text = plain(text); gsub(/ /, "x", text); return text }
function name(text)
{
    sub(/^void /, "", text)
    sub(/\(.*/, "", text)
    gsub(/, /, " ", text)
    return text
}
BEGIN {
    FS = "\",\""
    count = split(metrics, metric, ",")
    gsub(/\.sum|\.max|\.avg/, "", metrics)
    print "program,kernel,grid,block," metrics
}
/^"ID"/ {
    for (i = 1; i <= NF; i++)
        column[plain($i)] = i
    next
}
/^"[0-9]/ {
    kernel = name($column["Kernel Name"])
    row = plain($column["Process Name"]) "," kernel "," shape($column["Grid Size"]) "," shape($column["Block Size"])
    if (kernel ~ /^lab_/ || row in seen)
        next
    seen[row] = 1
    for (i = 1; i <= count; i++)
        row = row "," plain($column[metric[i]])
    print row
}
