# labs.awk - what `./grade check LAB --json` prints, lab after lab, as rows: lab,stage,slot,baseline_us,time_us,...
# slot: whose kernel stood in the stage's place, the stage's own or the step before it.
function field(key,    text)
{
    if (!match($0, "\"" key "\": *[^,}]*"))
        return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^"[a-z_]*": */, "", text)
    gsub(/"/, "", text)
    return text == "null" ? "" : text
}
BEGIN { print "lab,stage,slot,is_given,baseline,baseline_us,time_us,speedup,limiter" }
/"lab":/ { lab = field("lab") }
/"stage":/ {
    print lab "," field("stage") "," field("slot") "," field("is_given") "," field("baseline") "," field("baseline_us") "," \
          field("time_us") "," field("speedup") "," field("limiter")
}
