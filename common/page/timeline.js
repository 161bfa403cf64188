// timeline.js - one SM of the timing model: what each warp waits for as time goes by, and when blocks come and go.

function timelineSection(profile) {
    const line = profile.timeline;
    if (!line || !line.warps.length || !line.warps[0].length)
        return null;
    const bins = line.warps[0].length, left = 52, width = 680, high = Math.max(5, Math.min(14, 420 / line.warps.length));
    const step = (width - left - 10) / bins, height = line.warps.length * high + 30;
    const boxes = line.warps.flatMap((letters, warp) => {
        const found = [];
        for (let i = 0; i < bins;) {
            let end = i;
            while (end < bins && letters[end] === letters[i])
                end++;
            if (letters[i] !== ".")
                found.push(svg("rect", {x: (left + i * step).toFixed(1), y: (warp * high).toFixed(1), width: ((end - i) * step).toFixed(1), height: (high - 1).toFixed(1),
                    fill: `var(--k${letters.charCodeAt(i) - 97})`}));
            i = end;
        }
        return found;
    });
    const clocks = bins * line.bin_clocks, inUs = (clock) => clock / line.clock_mhz, at = (clock) => left + Math.min(clock / clocks, 1) * (width - left - 10);
    const starts = line.blocks.map(([place, number_, from]) => svg("path", {
        d: `M${at(from)} ${place * line.warps_per_block * high} v${line.warps_per_block * high}`, stroke: "var(--ink)", "stroke-width": 1.5},
        svg("title", {}, `block ${number_} of this SM starts`)));
    const names = line.warps.map((_, warp) => warp % line.warps_per_block ? null
        : svg("text", {x: left - 6, y: warp * high + 10, "text-anchor": "end", class: "soft"}, `place ${warp / line.warps_per_block + 1}`)).filter((_, warp) => warp % (line.warps_per_block * Math.max(1, Math.ceil(14 / (line.warps_per_block * high)))) === 0);
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => svg("text", {x: at(part * clocks), y: height - 8, class: "soft",
        "text-anchor": part === 1 ? "end" : part ? "middle" : "start"}, number(inUs(part * clocks)) + (part === 1 ? " µs" : "")));
    const used = profile.spent_on.map((text, i) => [text, i]).filter(([, i]) => line.warps.some((letters) =>
        letters.includes(String.fromCharCode(97 + i))));
    return wide(3, section("One SM over time",
        el("p", {class: "soft"}, `From the timing model: a row for each of the ${line.warps.length} warps that are there at a time, `,
            "coloured by what it does most; a mark where a block starts. The other SMs look the same. Only where a warp issues does it get on: ",
            "all else is waiting, which does no harm as long as other warps issue meanwhile. (The shares above leave out waiting for a block's start.)"),
        el("figure", {}, el("div", {class: "scroll wide"}, drawing(width, height, "One SM over time",
            `${plural(line.warps.length, "warp")}, ${plural(line.blocks.length, "block")}, ${microseconds(inUs(clocks))}`, boxes, starts, names, ticks)),
            el("ul", {class: "legend"}, used.map(([text, i]) => el("li", {}, el("i", {style: `background:var(--k${i})`}), text)))),
        profile.tail > 0.03 ? el("p", {}, `The last blocks leave SMs idle for ${percent(profile.tail)} of the time.`) : null));
}
