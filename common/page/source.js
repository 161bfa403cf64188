// source.js - the program's lines with what each did, and on demand all counters and the PTX of a line.

// The text of a line of the program without what is around it; "": unknown.
function sourceLine(profile, sources, file, line) {
    const path = profile.files[file] || "", text = sources[path] ?? sources[fileName(path)];
    return text && line ? (text.split("\n")[line - 1] || "").trim() : "";
}

// Requests and parts of a line's accesses to some spaces: now and ideal, for each request.
function perRequest(profile, file, line, spaces) {
    const found = profile.accesses.filter((one) => one.file === file && one.line === line && spaces.includes(one.space));
    const requests = sum(found.map((one) => one.requests));
    return requests ? {now: sum(found.map((one) => one.parts)) / requests, ideal: sum(found.map((one) => one.ideal)) / requests} : null;
}

function nowAndIdeal(cost) {
    return cost ? `${number(cost.now)}${cost.now > 1.05 * cost.ideal ? ` (${number(cost.ideal)})` : ""}` : "";
}

function heat(text, share) {
    return el("td", {class: share > 0 ? "hot" : null, style: `--share:${Math.min(share, 1).toFixed(3)}`}, text);
}

function lineDetail(profile, found, columns) {
    const waits = profile.spent_on.map((text, i) => [text, found.spent[i]]).filter(([, part]) => part >= 0.00005).sort((a, b) => b[1] - a[1]);
    const counters = Object.entries(found.counters).map(([name, value]) => [name, number(value), profile.metrics[name] || ""]);
    const code = profile.code.filter((one) => one.file === found.file && one.line === found.line);
    return el("tr", {class: "detail"}, el("td", {colspan: columns}, el("div", {class: "two"},
        el("div", {}, el("h3", {}, "Counters, and Nsight Compute's names"),
            table(["counter", "value", "metric"], counters, ["text", null, "text code"])),
        el("div", {}, waits.length ? [el("h3", {}, "What warps wait for here, of all their time"), table(["", "time"], waits.map(([text, part]) => [text, percent(part)]), ["text"])] : null,
            el("h3", {}, "PTX"),
            table(["warps", "lanes", "time", "instruction"],
                code.map((one) => [number(one.warps), number(one.lanes), percent(one.spent), one.text]),
                [null, null, null, "code"])))));
}

function sourceRow(profile, file, text, line, found, most) {
    const counters = found ? found.counters : {};
    const lanes = counters.warp_instructions ? counters.thread_instructions / counters.warp_instructions : 0;
    const share = found ? sum(found.spent) : 0;
    const sectors = perRequest(profile, file, line, ["global", "local"]), passes = perRequest(profile, file, line, ["shared"]);
    const over = (cost) => cost && cost.now > 1.05 * cost.ideal ? Math.min(0.6, 0.1 + (cost.now / cost.ideal - 1) / 8) : 0;
    let detail = null;
    const toggle = found && el("button", {class: "line", "aria-expanded": "false", "aria-label": `line ${line}: counters and PTX`,
        onclick: () => {
            if (detail)
                detail.remove();
            detail = detail ? null : lineDetail(profile, found, LINE_COLUMNS);
            if (detail)
                row.after(detail);
            toggle.setAttribute("aria-expanded", detail ? "true" : "false");
        }}, line);
    const row = el("tr", {id: `line-${file}-${line}`}, el("td", {}, toggle || line),
        heat(share >= 0.0005 ? percent(share) : "", share), el("td", {class: "code source", title: text.length > 80 ? text.trim() : null}, text), el("td", {class: "text"}, found ? stallBar(profile, found.spent, most) : null),
        el("td", {title: found ? number(counters.warp_instructions || 0) : null}, found ? short(counters.warp_instructions || 0) : ""),
        heat(lanes ? number(lanes) : "", lanes && lanes < 31.5 ? 0.4 * (1 - lanes / 32) : 0),
        heat(nowAndIdeal(sectors), over(sectors)), heat(nowAndIdeal(passes), over(passes)));
    return row;
}

const AROUND = 2;
const LINE_COLUMNS = 8;

// The largest part of the warps' time that a line has.
function largestShare(profile) {
    return Math.max(...profile.lines.map((one) => sum(one.spent)), 1e-9);
}

// Lines that were executed, and a few around them; gaps are marked.
function sourceTable(profile, file, text) {
    const lines = text == null ? [] : text.split("\n");
    const found = new Map(profile.lines.filter((one) => one.file === file).map((one) => [one.line, one]));
    const last = Math.max(lines.length, ...found.keys());
    const shown = (line) => [...found.keys()].some((one) => Math.abs(one - line) <= AROUND);
    const rows = [];
    for (let line = 1, gap = false; line <= last; line++) {
        if (shown(line))
            rows.push(sourceRow(profile, file, lines[line - 1] || "", line, found.get(line), largestShare(profile)));
        else if (!gap && rows.length)
            rows.push(el("tr", {}, el("td", {colspan: LINE_COLUMNS, class: "text soft"}, "…")));
        gap = !shown(line);
    }
    return table(["line", "time", fileName(profile.files[file]), "waits", "instr.", "lanes", "sectors", "passes"], rows, [null, null, "code", "text waits"]);
}

// What the compiler gave no line: it has its part of the time, too.
function elsewhereTable(profile) {
    const found = profile.lines.filter((one) => !profile.files[one.file] || !one.line);
    const spent = profile.spent_on.map((_, i) => sum(found.map((one) => one.spent[i])));
    return sum(spent) >= 0.0005 ? el("p", {class: "elsewhere"}, `${percent(sum(spent))} of the time goes to instructions without a line of the program.`) : null;
}

function sourceSection(profile, sources) {
    const files = [...new Set(profile.lines.filter((one) => one.line).map((one) => one.file))].filter((file) => profile.files[file]);
    const textOf = (file) => sources[profile.files[file]] ?? sources[fileName(profile.files[file])];
    return wide(6, section("Your lines", el("div", {class: "lines"}, files.map((file) => sourceTable(profile, file, textOf(file)))),
        stallLegend(profile), elsewhereTable(profile),
        el("details", {}, el("summary", {}, "What the columns are"), el("p", {class: "soft"}, "A line's number opens its counters, what warps wait for there, and its PTX. ",
            "Time: the part of the warps' time that goes to the line; waiting for its results is the line's own time, waiting in line ",
            "for a unit too, whoever keeps it busy. Waits: that time by what warps waited for; the longest bar is the most expensive line. Instructions are counted once for each warp. Lanes: active ones of 32. Sectors of 32 bytes ",
            "for each request to global or local memory, passes for each to shared memory; as few as possible in brackets, where that is fewer."))));
}
