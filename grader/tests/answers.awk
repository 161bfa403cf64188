# answers.awk - do texts for students print what stages ask for? awk -f answers.awk handouts/answers.md TEXT...
# A line of the instructors' answers and one of a text that share three figures (of three digits or more, no power of two) tell the same; so does a
# call that stands in the answers with its argument (`name<2>`). A line for each.
function figures_of(text, into,    figure) {
    delete into
    while (match(text, /[0-9]+([.][0-9]+)?/)) {
        figure = substr(text, RSTART, RLENGTH)
        if (length(figure) >= (figure ~ /[.]/ ? 4 : 3) && figure !~ /^(128|256|512|1024|2048|4096)$/)
            into[figure] = 1
        text = substr(text, RSTART + RLENGTH)
    }
}
FILENAME == ARGV[1] {
    answers[++n] = $0
    text = $0
    while (match(text, /[a-z_]+<[0-9]+>/)) {
        calls[substr(text, RSTART, RLENGTH)] = 1
        text = substr(text, RSTART + RLENGTH)
    }
    next
}
{
    for (call in calls)
        if (index($0, call))
            print FILENAME ":" FNR ": " call " is an answer"
    figures_of($0, own)
    count = 0
    for (figure in own)
        count++
    for (i = 1; count >= 3 && i <= n; i++) {
        figures_of(answers[i], theirs)
        shared = 0
        for (figure in own)
            shared += figure in theirs
        if (shared >= 3)
            print FILENAME ":" FNR ": the figures of answers.md:" i
    }
}
