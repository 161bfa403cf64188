# json.awk - a field of the JSON object on this line, "" where it is null or not there: awk -f json.awk -f PROGRAM.awk FILE
# For numbers, words and truths that contain no comma and no bracket; nothing else is needed of ./grade's rows.
function field(key,    text)
{
    if (!match($0, "\"" key "\": *[^,}]*"))
        return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^"[a-z_]*": */, "", text)
    gsub(/"/, "", text)
    return text == "null" ? "" : text
}
