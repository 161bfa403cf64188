// similar.js - pairs of submissions that are alike, side by side.

function similarPage(data) {
    return [el("h1", {}, data.title)];
}
