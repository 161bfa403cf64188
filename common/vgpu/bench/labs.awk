# labs.awk - what `./grade check LAB --json` prints, lab after lab, as rows: lab,stage,slot,baseline_us,time_us,...
# slot: whose kernel stood in the stage's place, the stage's own or the step before it.
# With field() of json.awk.
BEGIN {
    columns = "stage,slot,is_given,baseline,baseline_us,time_us,speedup,limiter"
    count = split(columns, key, ",")
    print "lab," columns
}
/"lab":/ { lab = field("lab") }
/"stage":/ {
    row = lab
    for (i = 1; i <= count; i++)
        row = row "," field(key[i])
    print row
}
