// board.js - the fastest of each stage, beside the kit's solution and a vendor's library. Only what was measured on the same kind of
// GPU stands on one board.

// What looks the same has the same rank; the next one's counts all before it.
function ranked(list) {
    const sorted = [...list].sort((a, b) => b.speedup - a.speedup || (a.name < b.name ? -1 : 1));
    sorted.forEach((one, i) => { one.shown = one.speedup.toFixed(2); one.rank = i && one.shown === sorted[i - 1].shown ? sorted[i - 1].rank : i + 1; });
    return sorted;
}

function boardRows(data, stage, runners, reference) {
    const own = ranked(runners.map((one) => ({...one, ...one.stages.find((two) => two.row === stage.row)})).filter((one) => one.speedup > 0));
    const marks = [["the kit's solution", reference.speedup], ["the vendor's library", reference.library]].filter(([, speedup]) => speedup > 0)
        .map(([name, speedup]) => ({name, speedup, shown: speedup.toFixed(2), rank: "", isMark: true}));
    return [...own, ...marks].sort((a, b) => b.shown - a.shown || Boolean(a.isMark) - Boolean(b.isMark) || a.rank - b.rank);
}

function boardTable(rows, reference) {
    return table(["rank", "who", "speedup", reference.speedup ? "of the solution's" : "", "time"], rows.map((one) => el("tr", {class: one.isMark ? "now" : null},
        el("td", {}, one.rank), el("td", {class: "text names"}, el("bdi", {}, one.name)), el("td", {}, one.shown + "x"),
        el("td", {}, reference.speedup ? percent(one.speedup / reference.speedup) : ""), el("td", {}, one.time ? microseconds(one.time) : "–"))), [null, "text names"]);
}

function boardOf(data, stage, runners, reference) {
    const rows = boardRows(data, stage, runners, reference), most = 25;
    const isOnChart = (one, i) => one.isMark || i < most;
    return section(`${stage.id}: ${stage.title}`, rows.some((one) => !one.isMark) ? [
        barChart(`Speedups of ${stage.id}`, rows.filter(isOnChart).map((one) => [one.name.slice(0, 22), one.speedup, `${one.shown}x`, one.isMark ? "var(--hot)" : "var(--used)"])),
        boardTable(rows.slice(0, most), reference),
        rows.length > most ? el("details", {}, el("summary", {}, `and ${rows.length - most} more`), boardTable(rows.slice(most), reference)) : null]
        : el("p", {}, "Nobody yet: it counts what is right and clean."));
}

function boardPage(data) {
    const places = grouped(data.runners, (one) => JSON.stringify([one.backend, one.gpu]));
    return [el("h1", {}, `${data.lab}: the fastest`), el("p", {}, data.title + ". Speedups over the lab's baseline, of submissions that are right and without findings. " +
        "Equal figures share a rank. Names stand here only of those who wanted it; the others know their pseudonym from their own page."),
    places.map(([key, runners]) => {
        const [backend, gpu] = JSON.parse(key), isSame = isMeasuredLike({backend, gpu}, data.reference);
        return [el("p", {class: "soft"}, `Measured on ${gpuWords({backend, gpu})}. ` + (isSame && data.reference.measured ? data.reference.measured
            : "Figures of the kit's solution there are not known, and those of other GPUs are not compared.")),
            data.lab_stages.map((stage) => boardOf(data, stage, runners, isSame && data.reference.stages[stage.id] || {speedup: 0, library: 0}))];
    })];
}
