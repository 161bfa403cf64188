// occupancy.js - how many blocks an SM holds, what keeps it from more, and what would change it.

// What is to be changed, and to what: the first of these that differs.
const CHANGES = [
    ["threads", (to, now) => `blocks of ${number(to)} threads instead of ${number(now)}, with the same shared memory`],
    ["registers", (to, now) => `at most ${number(to)} registers per thread instead of ${number(now)}`],
    ["shared_bytes", (to, now) => to ? `at most ${bytes(to)} of shared memory per block instead of ${bytes(now)}` : "no shared memory"],
];

function changeText(occupancy, change) {
    const [name, words] = CHANGES.find(([one]) => change[one] !== occupancy[one]);
    return `${words(change[name], occupancy[name])}: ${plural(change.blocks, "block")}, ${change.warps} warps, ${percent(change.warps / occupancy.max_warps)}`;
}

function occupancySection(profile) {
    const own = profile.occupancy, all = own.max_warps;
    const rows = own.limits.map((limit) => el("tr", {class: limit.name === own.limiter ? "now" : null, "aria-current": limit.name === own.limiter ? "true" : null},
        el("td", {class: "text"}, (limit.name === own.limiter ? "▸ " : "") + limit.name), el("td", {}, limit.needs || limit.name !== "registers" ? number(limit.needs) + (limit.unit === limit.name ? "" : ` ${limit.unit}`) : "not known"),
        el("td", {}, limit.has.toLocaleString("en")), el("td", {}, limit.blocks === null ? "any" : number(limit.blocks))));
    return wide(2, section("Occupancy",
        el("p", {}, `${plural(own.blocks, "block")} of ${number(own.threads)} threads fit on an SM: ${own.warps} of ${all} warps, ${percent(own.warps / all)}. `,
            own.active_warps ? `On average ${number(own.active_warps)} are there: ${percent(own.active_warps / all)} achieved.` : ""),
        el("div", {class: "meters"}, [["fit", own.warps, "var(--used)"], ["achieved", own.active_warps, "var(--hot)"]].map(([name, warps, colour]) => [el("span", {}, name),
            el("div", {}, el("i", {style: `width:${(100 * Math.min(warps / all, 1)).toFixed(1)}%;background:${colour}`})), el("span", {}, `${number(warps)} of ${all}`)])),
        table(["limit", "a block takes", "an SM has", "blocks"], rows, ["text"]),
        el("h3", {}, "What would change it"),
        own.warps >= all ? el("p", {}, "Nothing: an SM holds no more warps.") :
            own.changes.length ? el("ul", {}, own.changes.map((change) => el("li", {}, changeText(own, change)))) :
                el("p", {}, "No other block size, and neither fewer registers nor less shared memory alone.")));
}
