// search.js - the search page: looks for all words of ?q= in SECTIONS, rows of search.awk. A page of its own, so that no other carries
// the index; nothing is fetched.

const shown_at_most = 60;
const lower = SECTIONS.map(row => [row[1] + " " + row[3], row[4]].map(text => text.toLowerCase()));

// A word in a heading counts more than in the text, a whole word more than a part of one.
function weight_of(words, [heading, body]) {
    let weight = 0;
    for (const word of words) {
        const whole = new RegExp("(^|[^\\p{L}\\p{N}_])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "($|[^\\p{L}\\p{N}_])", "u");
        const found = (heading.includes(word) ? 20 : 0) + (whole.test(heading) ? 20 : 0) + (body.includes(word) ? 1 : 0) +
            (whole.test(body) ? 4 : 0) + Math.min(body.split(word).length - 1, 8) / 4;
        if (!found)
            return 0;
        weight += found;
    }
    return weight;
}

function mark(text, words) {
    const parts = document.createDocumentFragment(), small = text.toLowerCase();
    for (let at = 0; at < text.length;) {
        const next = words.map(word => [small.indexOf(word, at), word.length]).filter(([i]) => i >= 0).sort(([a], [b]) => a - b)[0];
        if (!next) {
            parts.append(text.slice(at));
            break;
        }
        const word = document.createElement("mark");
        word.textContent = text.slice(next[0], next[0] + next[1]);
        parts.append(text.slice(at, next[0]), word);
        at = next[0] + next[1];
    }
    return parts;
}

function words_around(text, words) {
    const at = Math.max(0, Math.min(...words.map(word => text.toLowerCase().indexOf(word)).filter(i => i >= 0)) || 0);
    const from = at > 80 ? text.indexOf(" ", at - 80) + 1 : 0;
    return (from ? "… " : "") + text.slice(from, from + 240) + (from + 240 < text.length ? " …" : "");
}

function result(row, words) {
    const item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("p");
    link.href = row[0] + ".html#" + row[2];
    link.append(mark(row[3] === row[1] ? row[3] : row[1] + ": " + row[3], words));
    where.append(mark(words_around(row[4], words), words));
    item.append(link, where);
    return item;
}

function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean), list = document.getElementById("results");
    const found = words.length ? lower.map((row, i) => [weight_of(words, row), i]).filter(([w]) => w > 0).sort((a, b) => b[0] - a[0]) : [];
    list.replaceChildren(...found.slice(0, shown_at_most).map(([, i]) => result(SECTIONS[i], words)));
    document.getElementById("found").textContent = !words.length ? "" : !found.length ? "No section has all of these words." :
        found.length === 1 ? "One section" : `${found.length} sections` + (found.length > shown_at_most ? `, the first ${shown_at_most} of them` : "");
}

const asked = document.querySelector("main input[name=q]");
asked.value = new URLSearchParams(location.search).get("q") ?? "";
asked.addEventListener("input", () => {
    search(asked.value);
    history.replaceState(null, "", "?q=" + encodeURIComponent(asked.value));
});
search(asked.value);
asked.focus();
