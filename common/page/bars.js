// bars.js - shares as bars: what warps spend their time on, and how busy units are.

function stackedBar(name, parts) {
    const width = 680;
    let x = 0;
    const drawn = parts.map(([text, part, colour]) => {
        const box = svg("rect", {x, y: 0, width: Math.max(part * width, 0), height: 26, fill: colour},
            svg("title", {}, `${text}: ${percent(part)}`));
        x += part * width;
        return box;
    });
    const told = parts.filter(([, part]) => part >= 0.005);
    return el("figure", {}, drawing(width, 26, name, told.map(([text, part]) => `${text} ${percent(part)}`).join(", "), drawn),
        el("ul", {class: "legend"}, told.map(([text, part, colour]) =>
            el("li", {}, el("i", {style: `background:${colour}`}), `${text} ${percent(part)}`))));
}

function spentBar(profile) {
    const parts = profile.spent_on.map((text, i) => [text, profile.spent[i], `var(--k${i})`]);
    return stackedBar("What warps spend their time on", parts.sort((a, b) => b[1] - a[1]));
}

// The same of one line, in a cell: as long as its time beside that of the most expensive line.
function stallBar(profile, spent, most) {
    const share = sum(spent), told = profile.spent_on.map((text, i) => [text, spent[i], i]).filter(([, part]) => part > 0).sort((a, b) => b[1] - a[1]);
    const words = told.filter(([, part]) => part >= 0.0005).map(([text, part]) => `${text} ${percent(part)}`).join(", ");
    return share > 0 ? el("div", {class: "stalls", role: "img", "aria-label": words || "hardly any time", title: words, style: `width:${(100 * share / most).toFixed(2)}%`},
        told.map(([, part, i]) => el("i", {style: `width:${(100 * part / share).toFixed(2)}%;background:var(--k${i})`}))) : null;
}

function stallLegend(profile) {
    return el("ul", {class: "legend", "aria-label": "what warps wait for"}, profile.spent_on.map((text, i) => [text, i]).filter(([, i]) => profile.spent[i] >= 0.0005)
        .map(([text, i]) => el("li", {}, el("i", {style: `background:var(--k${i})`}), text)));
}

// rows: [text, value, what the value is called, colour, mark]; lengths by the largest.
function barChart(name, rows, unit, whole) {
    const isNarrow = innerWidth < 700, left = isNarrow ? 112 : 150, right = isNarrow ? 120 : 170, width = isNarrow ? 400 : 680, high = 22; // a phone's letters are no smaller
    const most = whole || Math.max(...rows.flatMap((row) => [row[1], row[4] || 0]), 1e-9);
    const at = (value) => left + (width - left - right) * value / most;
    const drawn = rows.flatMap(([text, value, told, colour, mark], i) => [
        svg("text", {x: left - 8, y: i * high + 15, "text-anchor": "end"}, text),
        svg("rect", {x: left, y: i * high + 3, width: Math.max(at(value) - left, 1), height: high - 8, fill: colour || "var(--used)"}),
        svg("text", {x: at(Math.max(value, mark || 0)) + 6, y: i * high + 15}, told),
        mark ? svg("path", {d: `M${at(mark)} ${i * high} v${high - 2}`, stroke: "var(--clash)", "stroke-width": 2},
            svg("title", {}, `needed: ${number(mark)}`)) : null]);
    return el("figure", {class: isNarrow ? "scroll" : "scroll wide"}, drawing(width, rows.length * high + 4, name,
        rows.map(([text, , told]) => `${text}: ${told}`).join("; "), drawn), unit ? el("figcaption", {}, unit) : null);
}

function busyBars(profile) {
    const names = {issue: "instruction slots", int: "integer units", imul: "integer multipliers", fp32: "float units", fp64: "double units",
        sfu: "special functions", l1: "L1 and its pipe", l2: "L2 cache", dram: "DRAM", shared: "shared memory", shuffle: "shuffles",
        const: "constant memory", atomic: "atomics in L2", barrier: "barriers", texture: "textures", fp16: "half units", jump: "calls"};
    const rows = Object.entries(profile.busy).filter(([, part]) => part >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 8)
        .map(([name, part]) => [names[name] || name, part, percent(part), name === profile.limiter ? "var(--hot)" : "var(--used)"]);
    return rows.length ? barChart("How busy units are", rows, "Parts of the time in which a unit is busy; the whole width is all the time.", 1) : null;
}
