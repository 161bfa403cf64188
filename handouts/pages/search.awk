# search.awk - what the search looks through: awk -f search.awk LIST PAGE.html...
# A section of a page becomes [page's name, page's title, anchor, heading, words]: rows of a JavaScript array. Tags go, and so does
# what is not the text itself: navigation, styles, drawings.
function plain(text) {
    gsub(/<[^>]*>/, " ", text)
    gsub(/[ \t\n]+/, " ", text)
    gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&#39;/, "'", text); gsub(/&amp;/, "\\&", text)
    gsub(/ [.]/, ".", text); gsub(/ ,/, ",", text)
    sub(/^ /, "", text); sub(/ $/, "", text)
    return text
}
function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/</, "\\u003c", text)
    return "\"" text "\""
}
function end_section() {
    if (body != "")
        printf "[%s,%s,%s,%s,%s],\n", quoted(name), quoted(title[name]), quoted(anchor), quoted(heading), quoted(plain(body))
    body = ""
}
FNR == 1 { file++ }
file == 1 { split($0, cell, "|"); title[cell[3]] = cell[4]; next }
FNR == 1 {
    end_section()
    name = FILENAME; sub(/.*\//, "", name); sub(/[.]html$/, "", name)
    is_text = 0
}
/^<main>/ { is_text = 1 }
/<nav class="ends"/ { is_text = 0 }
!is_text { next }
/^<h[1-4] id="/ {
    end_section()
    anchor = $0; sub(/^<h[1-4] id="/, "", anchor); sub(/".*/, "", anchor)
    heading = plain($0)
    next
}
{ gsub(/<img[^>]*>/, ""); body = body $0 "\n" }
END { end_section() }
