// memory.js - the memory chart: what goes between threads, L1, L2 and DRAM, and what each cache finds. All of it is counted; sectors
// have 32 bytes.

const SECTOR = 32;
const SPACES = [ // name, what a request is made of, and by direction: counters of requests and of parts
    {name: "global", to: "l1", parts: "sectors", ways: [["load", "global_load"], ["store", "global_store"], ["atomic", "global_atomic"]]},
    {name: "local", to: "l1", parts: "sectors", ways: [["load", "local_load"], ["store", "local_store"]]},
    {name: "texture", to: "l1", parts: "sectors", ways: [["load", "texture"]]},
    {name: "shared", to: "shared", parts: "wavefronts", ways: [["load", "shared_load"], ["store", "shared_store"], ["atomic", "shared_atomic"]]},
    {name: "constant", to: "constant", parts: "words", ways: [["load", "const"]]},
];

// Each edge once: between which boxes, which way, requests, and sectors, passes or words.
function memoryEdges(profile) {
    const {counters, traffic} = profile, edges = [];
    for (const space of SPACES)
        for (const [way, name] of space.ways) {
            const requests = counters[`${name}_requests`] || 0, parts = counters[`${name}_${space.parts}`] || 0;
            if (requests)
                edges.push({from: space.name, to: space.to, way, requests, parts, unit: space.parts, bytes: space.parts === "sectors" ? parts * SECTOR : null});
        }
    const below = (from, to, way, sectors) => sectors && edges.push({from, to, way, parts: sectors, unit: "sectors", bytes: sectors * SECTOR});
    below("l1", "l2", "load", traffic.l2_reads);
    below("l1", "l2", "store", traffic.l2_writes);
    below("l2", "dram", "load", traffic.dram_reads);
    below("l2", "dram", "store", traffic.dram_writes);
    return edges;
}

// The largest amount that a page has to name.
function largestAmount(profile) {
    return Math.max(0, ...memoryEdges(profile).map((edge) => edge.bytes || 0));
}

const hitRate = (hits, misses) => hits + misses ? hits / (hits + misses) : null;

// What the boxes say below their names.
function boxWords(profile) {
    const {counters, traffic} = profile, told = {l1: [], l2: [], dram: [], shared: [], constant: []};
    const l1 = hitRate(traffic.l1_hits, traffic.l1_misses), l2 = hitRate(traffic.l2_hits, traffic.l2_misses);
    if (l1 !== null)
        told.l1.push(`hit rate ${percent(l1)}`);
    if (l2 !== null)
        told.l2.push(`hit rate ${percent(l2)}`);
    told.dram.push(rate(profile.roofline.bytes, profile.time_us), `of ${number(profile.roofline.dram_gbs)} GB/s`);
    const requests = sum(["load", "store", "atomic"].map((way) => counters[`shared_${way}_requests`] || 0));
    const passes = sum(["load", "store", "atomic"].map((way) => counters[`shared_${way}_wavefronts`] || 0));
    if (requests)
        told.shared.push(`${number(passes / requests)} pass${number(passes / requests) === "1" ? "" : "es"}`, "per request");
    if (counters.async_copy_bytes)
        told.shared.push(`${amount(counters.async_copy_bytes)}`, "by async copies");
    if (counters.const_requests)
        told.constant.push(plural(counters.const_words / counters.const_requests, "word"), "per request");
    return told;
}

const MEMORY_COLUMNS = {kernel: [0, 70], space: [160, 80], cache: [372, 112], l2: [606, 92], dram: [806, 94]};
const MEMORY_BOXES = {l1: ["L1 cache", "l1"], shared: ["shared memory", "shared"], constant: ["constant cache", "const"], l2: ["L2 cache", "l2"], dram: ["DRAM", "dram"]};
const LANE_HIGH = 34; // of an edge with its words

function memoryDrawing(profile) {
    const edges = memoryEdges(profile), words = boxWords(profile), drawn = [], lines = [];
    const used = SPACES.map((space) => ({...space, edges: edges.filter((edge) => edge.from === space.name)})).filter((space) => space.edges.length);
    const box = ([x, width], y, height, name, told, busy) => {
        const texts = [name, ...told], top = y + height / 2 - (texts.length - 1) * 7 + 4;
        drawn.push(svg("rect", {x, y, width, height, rx: 5, class: "memory", style: `--share:${Math.min(busy || 0, 1).toFixed(3)}`},
            busy ? svg("title", {}, `${name}: busy ${percent(busy)} of the time`) : null),
            texts.map((text, i) => svg("text", {x: x + width / 2, y: top + i * 14, "text-anchor": "middle", class: i ? null : "strong"}, text)));
    };
    const arrow = (fromX, toX, y, way, text, told) => {
        const [tip, tail, back] = way === "load" ? [fromX + 2, toX - 2, 1] : [toX - 2, fromX + 2, -1];
        lines.push(svg("path", {d: `M${tail} ${y} H${tip} m${7 * back} -4 l${-7 * back} 4 l${7 * back} 4`, fill: "none", stroke: "var(--soft)", "stroke-width": 1.5}, svg("title", {}, told)),
            svg("text", {x: (fromX + toX) / 2, y: y - 5, "text-anchor": "middle"}, text));
    };
    const right = ([x, width]) => x + width, {kernel, space, cache, l2, dram} = MEMORY_COLUMNS;
    let y = 4;
    const spans = {}; // of the boxes of caches: from, to
    for (const one of used) {
        const height = Math.max(one.edges.length, one.to === "l1" ? 2 : 1.5) * LANE_HIGH, first = y + (height - one.edges.length * LANE_HIGH) / 2;
        box(space, y, height, one.name, []);
        one.edges.forEach((edge, i) => {
            const at = first + (i + 0.5) * LANE_HIGH + 7;
            arrow(right(kernel), space[0], at, edge.way, `${short(edge.requests)} req`, `${edge.way}: ${number(edge.requests)} requests of a warp`);
            arrow(right(space), cache[0], at, edge.way, edge.bytes === null ? `${short(edge.parts)} ${edge.unit === "wavefronts" ? "passes" : edge.unit}` : amount(edge.bytes),
                `${edge.way}: ${number(edge.parts)} ${edge.unit}`);
        });
        spans[one.to] = [(spans[one.to] || [y])[0], y + height];
        y += height + 10;
    }
    const bottom = y - 10, [from, to] = spans.l1 || [4, bottom];
    box(kernel, 4, bottom - 4, "kernel", []);
    for (const [name, [from, to]] of Object.entries(spans))
        box(cache, from, to - from, MEMORY_BOXES[name][0], words[name], profile.busy[MEMORY_BOXES[name][1]]);
    for (const [column, above, name, before] of spans.l1 ? [[l2, "l1", "l2", cache], [dram, "l2", "dram", l2]] : []) {
        const own = edges.filter((edge) => edge.from === above && edge.to === name);
        box(column, from, to - from, MEMORY_BOXES[name][0], words[name], profile.busy[name]);
        own.forEach((edge, i) => arrow(right(before), column[0], (from + to) / 2 + (i - (own.length - 1) / 2) * LANE_HIGH + 7, edge.way, amount(edge.bytes), `${edge.way}: ${number(edge.parts)} sectors`));
    }
    return drawing(901, bottom + 4, "Memory chart",
        edges.map((edge) => `${edge.from} to ${edge.to}, ${edge.way}: ${edge.bytes === null ? `${number(edge.parts)} ${edge.unit}` : amount(edge.bytes)}`).join("; "), lines, drawn);
}

// To the last sector.
function memoryTable(profile) {
    const {traffic} = profile, whole = (count) => count == null ? "" : count.toLocaleString("en");
    const names = {l1: "L1", l2: "L2", dram: "DRAM", shared: "shared memory", constant: "constant cache"};
    return [table(["between", "", "requests", "parts", "", "bytes"], memoryEdges(profile).map((edge) => [
        `${edge.requests ? edge.from : names[edge.from]} and ${names[edge.to]}`, edge.way, whole(edge.requests), whole(edge.parts), edge.unit, whole(edge.bytes)]), ["text", "text", null, null, "text"]),
    table(["cache", "sectors", "hits", "misses", "hit rate"], [["L1, loads", traffic.l1_loads, traffic.l1_hits, traffic.l1_misses],
        ["L2, all", traffic.l2_reads + traffic.l2_writes, traffic.l2_hits, traffic.l2_misses]].filter((row) => row[1])
        .map(([name, ...counts]) => [name, ...counts.map(whole), percent(hitRate(counts[1], counts[2]))]), ["text"])];
}

function memorySection(profile) {
    if (!memoryEdges(profile).length)
        return null;
    const hasLocal = profile.counters.local_load_requests || profile.counters.local_store_requests;
    return wide(4, section("Memory chart",
        el("figure", {class: "scroll wide"}, memoryDrawing(profile)),
        el("p", {class: "soft"}, "Arrows point where the data goes. Requests (req) are those of warps; bytes are sectors of 32. The fuller a box, the busier its unit. ",
            "L1's hit rate is that of loads; what misses goes on to L2, stores and atomics always do. An L2 miss is what DRAM has to deliver. ",
            "What L1 finds of global memory comes from the timing model, which has warps in the order of a GPU.",
            profile.counters.global_atomic_requests ? " Of atomics L2's rate is an estimate: a sector counts once for each request of a warp, however many of its lanes change it." : "",
            hasLocal ? " Of local memory what L1 does not keep is only estimated: it is in the time, not in this chart below L1." : ""),
        el("details", {}, el("summary", {}, "The same as numbers"), memoryTable(profile))));
}
