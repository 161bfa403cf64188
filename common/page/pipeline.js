// pipeline.js - where the time of a whole stage, or of a program, goes: copies, kernels and the host over time, by engine.

const SPANS = ["kernel", "copy to the device", "copy to the host", "copy within the device", "memset"];
const ENGINES = [["copies to the device", [1]], ["kernels", [0, 3, 4]], ["copies to the host", [2]]];
const HOST = ["launches and other calls", "copy to the device", "copy to the host", "its own work", "waits"];

// Streams are numbered as the program made them, in its whole run: here from 1 on.
function numbered(line) {
    const ids = [...new Set(line.spans.map((span) => span[1]).filter((id) => id))].sort((a, b) => a - b);
    return {...line, spans: line.spans.map(([kind, id, ...rest]) => [kind, ids.indexOf(id) + 1, ...rest])};
}

function streamName(stream) {
    return stream ? `stream ${stream}` : "default stream";
}

function spanText([kind, stream, from, to, moved, name]) {
    return `${name || SPANS[kind]}, ${streamName(stream)}: ${microseconds(to - from)}, from ${number(from)} to ${number(to)}` +
        (moved ? `; ${amount(moved)}, ${rate(moved, to - from)}` : "");
}

// Items that overlap come one below the other: [item, row].
function inRows(items, from, to) {
    const ends = [];
    return items.map((item) => {
        let row = ends.findIndex((end) => end <= from(item) + 1e-9);
        row = row < 0 ? ends.length : row;
        ends[row] = to(item);
        return [item, row];
    });
}

// How long at least one of the spans is under way.
function unionOf(spans) {
    let end = -Infinity, total = 0;
    for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
        total += Math.max(0, to - Math.max(from, end));
        end = Math.max(end, to);
    }
    return total;
}

function pipelineDrawing(line) {
    const left = 130, width = 900, high = 16, streams = [...new Set(line.spans.map((span) => span[1]))].sort((a, b) => a - b);
    const end = Math.max(line.total_us, ...line.spans.map((span) => span[3]), ...(line.host || []).map((span) => span[2]));
    const at = (us) => left + us / end * (width - left - 10), colour = (stream) => `var(--k${streams.indexOf(stream) % 7})`;
    const marks = [];
    let y = 4;
    const name = (text) => marks.push(svg("text", {x: left - 8, y: y + 12, "text-anchor": "end"}, text));
    const box = (from, to, row, fill, text) => marks.push(svg("rect", {x: at(from).toFixed(1), y: y + row * high,
        width: Math.max(0.8, at(to) - at(from)).toFixed(1), height: high - 2, fill}, svg("title", {}, text)));
    if (line.host && line.host.length) {
        name("host");
        for (const [part, from, to] of line.host)
            box(from, to, 0, part === 4 ? "var(--cold)" : part === 0 ? "var(--soft)" : part === 3 ? "var(--ink)" : "var(--fetched)",
                `host: ${HOST[part]}, ${number(to - from)} µs, from ${number(from)} to ${number(to)}`);
        y += high + 6;
    }
    for (const [text, kinds] of ENGINES) {
        const rows = inRows(line.spans.filter((span) => kinds.includes(span[0])).sort((a, b) => a[2] - b[2]), (span) => span[2], (span) => span[3]);
        name(text);
        for (const [span, row] of rows)
            box(span[2], span[3], row, colour(span[1]), spanText(span));
        y += (1 + Math.max(0, ...rows.map(([, row]) => row))) * high + 6;
    }
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => svg("text", {x: at(part * end), y: y + 12, class: "soft",
        "text-anchor": part === 1 ? "end" : "start"}, number(part * end) + (part === 1 ? " µs" : "")));
    const told = ENGINES.map(([text, kinds]) => `${text}: ${number(unionOf(line.spans.filter((span) => kinds.includes(span[0])).map((span) => [span[2], span[3]])))} µs`);
    const legend = streams.map((stream) => [colour(stream), streamName(stream)]);
    if (line.host && line.host.length)
        legend.push(["var(--soft)", "host: launches and other calls"], ["var(--fetched)", "host: in a copy"], ["var(--ink)", "host: its own work"], ["var(--cold)", "host: waits"]);
    return [el("div", {class: "scroll wide"}, drawing(width, y + 20, "Engines over time",
        `${number(end)} µs. At least one was under way: ${told.join(", ")}.`, marks, ticks)),
        el("ul", {class: "legend"}, legend.map(([fill, text]) => el("li", {}, el("i", {style: `background:${fill}`}), text)))];
}

// One kernel alone has no pipeline.
function pipelineSection(told, words) {
    if (!(words && words.length) && !(told && told.spans.length > 1))
        return null;
    const line = told && numbered(told);
    const most = 200, busy = line ? ENGINES.map(([text, kinds]) => {
        const own = line.spans.filter((span) => kinds.includes(span[0]));
        return [text, number(own.length), own.some((span) => span[4]) ? amount(sum(own.map((span) => span[4]))) : "", microseconds(sum(own.map((span) => span[3] - span[2]))),
            microseconds(unionOf(own.map((span) => [span[2], span[3]])))];
    }) : [];
    const all = line ? unionOf(line.spans.map((span) => [span[2], span[3]])) : 0, each = line ? sum(line.spans.map((span) => span[3] - span[2])) : 0;
    return wide(6, section("Copies, kernels and the host over time", (words || []).map((text) => el("p", {}, withMicro(text))),
        line && line.spans.length ? [el("p", {}, each > 1.02 * all ? `Engines work ${microseconds(each)} in ${microseconds(all)}: ${percent(1 - all / each)} of it is hidden behind other work.`
            : "No two engines work at the same time: nothing overlaps."), pipelineDrawing(line),
        table(["engine", "operations", "moved", "time, added up", "at least one under way"], busy, ["text"]),
        line.lost ? el("p", {class: "soft"}, `${number(line.lost)} more operations are not shown.`) : null,
        el("details", {}, el("summary", {}, "All operations"), table(["operation", "stream", "from µs", "to µs", "moved", "rate"],
            line.spans.slice(0, most).map(([kind, stream, from, to, moved, name]) => [name || SPANS[kind], streamName(stream), number(from), number(to), moved ? amount(moved) : "", moved ? rate(moved, to - from) : ""]),
            ["text", "text"]), line.spans.length > most ? el("p", {class: "soft"}, `and ${number(line.spans.length - most)} more.`) : null)] : null));
}
