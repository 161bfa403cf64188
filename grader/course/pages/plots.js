// plots.js - how numbers are spread: over bins, and each as a mark of its own.

// Points from 0 to most in tenths; the last bin takes the most itself.
function pointBins(points, most) {
    const bins = Array.from({length: 10}, (_, i) => ({from: Math.ceil(most * i / 10), to: Math.ceil(most * (i + 1) / 10) - 1, count: 0}));
    bins[9].to = most;
    for (const one of points)
        (bins.find((bin) => one <= bin.to) || bins[9]).count++;
    return bins;
}

function histogram(name, points, most) {
    const bins = pointBins(points, most), width = 800, high = 200, left = 46, step = (width - left - 14) / bins.length;
    const top = Math.max(...bins.map((bin) => bin.count), 1), tick = Math.max(roundStep(top, 4), 1);
    const y = (count) => 32 + (high - 32) * (1 - count / top), middle = median(points);
    const at = left + (width - left - 14) * Math.min(middle / most, 1);
    const lines = [];
    for (let count = 0; count <= top; count += tick)
        lines.push(svg("path", {d: `M${left} ${y(count)} H${width - 14}`, stroke: "var(--rule)"}),
            svg("text", {x: left - 6, y: y(count) + 4, "text-anchor": "end", class: "soft"}, number(count)));
    const bars = bins.map((bin, i) => [
        svg("rect", {x: left + i * step + 2, y: y(bin.count), width: step - 4, height: high - y(bin.count), fill: "var(--used)"},
            svg("title", {}, `${bin.from} to ${bin.to} points: ${plural(bin.count, "student")}`)),
        bin.count ? svg("text", {x: left + (i + 0.5) * step, y: y(bin.count) - 4, "text-anchor": "middle"}, bin.count) : null,
        svg("text", {x: left + (i + 0.5) * step, y: high + 16, "text-anchor": "middle", class: "soft"}, `${bin.from}–${bin.to}`)]);
    const mark = points.length ? [svg("path", {d: `M${at} 12 V${high}`, stroke: "var(--clash)", "stroke-width": 2, "stroke-dasharray": "5 3"}),
        svg("text", {x: at + (at > width - 140 ? -6 : 6), y: 11, "text-anchor": at > width - 140 ? "end" : "start"}, `median ${number(middle)}`)] : [];
    return el("figure", {class: "scroll wide"}, drawing(width, high + 26, name,
        bins.map((bin) => `${bin.from} to ${bin.to}: ${bin.count}`).join(", ") + `; median ${number(middle)}`, lines, bars, mark),
        el("figcaption", {}, "Students by points without bonus, as they count."));
}

// rows: {name, values: [[number, words]...], needs: [number...], solution: number or 0}. A box from quarter to quarter, a line at the
// median, a dot for each; red lines are what is needed, a diamond is the kit's solution.
function stripPlot(name, rows) {
    const width = 800, left = 110, right = 20, high = 46;
    const most = 1.05 * Math.max(1, ...rows.flatMap((row) => [...row.values.map(([value]) => value), ...row.needs, row.solution || 0]));
    const x = (value) => (left + (width - left - right) * value / most), tick = roundStep(most, 8), axis = rows.length * high + 6;
    const ticks = [];
    for (let value = 0; value <= most; value += tick)
        ticks.push(svg("path", {d: `M${x(value)} 0 V${axis}`, stroke: "var(--rule)"}),
            svg("text", {x: x(value), y: axis + 15, "text-anchor": "middle", class: "soft"}, number(value) + "x"));
    const drawn = rows.map((row, i) => {
        const y = i * high + high / 2, values = row.values.map(([value]) => value), low = quantile(values, 0.25), top = quantile(values, 0.75);
        return [svg("text", {x: left - 8, y: y + 4, "text-anchor": "end"}, row.name),
            values.length ? svg("rect", {x: x(low), y: y - 13, width: Math.max(x(top) - x(low), 1), height: 26, fill: "var(--fetched)"}) : null,
            row.needs.map((need) => svg("path", {d: `M${x(need)} ${y - 19} v38`, stroke: "var(--clash)", "stroke-width": 2},
                svg("title", {}, `needed: ${times(need)}`))),
            row.values.map(([value, words], k) => svg("circle", {cx: x(value), cy: y + (k * 7 % 11 - 5) * 2, r: values.length > 60 ? 2 : 3.5, fill: "var(--used)",
                "fill-opacity": values.length > 60 ? 0.5 : 1}, svg("title", {}, `${words}: ${times(value)}`))),
            values.length ? svg("path", {d: `M${x(median(values))} ${y - 13} v26`, stroke: "var(--ink)", "stroke-width": 2}) : null,
            row.solution ? svg("path", {d: `M${x(row.solution)} ${y - 8} l6 8 l-6 8 l-6 -8 z`, fill: "none", stroke: "var(--hot)", "stroke-width": 2},
                svg("title", {}, `the kit's solution: ${times(row.solution)}`)) : null];
    });
    const told = rows.map((row) => `${row.name}: ${plural(row.values.length, "value")}` + (row.values.length
        ? `, median ${times(median(row.values.map(([value]) => value)))}` : "") + (row.needs.length ? `, needed ${row.needs.map(times).join(" and ")}` : "") +
        (row.solution ? `, the solution ${times(row.solution)}` : "")).join("; ");
    return el("figure", {}, el("div", {class: "scroll wide"}, drawing(width, axis + 22, name, told, ticks, drawn)),
        el("ul", {class: "legend"}, [["var(--used)", "a student"], ["var(--fetched)", "the middle half; a line at the median"], ["var(--clash)", "needed"],
            ...(rows.some((row) => row.solution) ? [["var(--hot)", "the kit's solution"]] : [])].map(([colour, text]) =>
            el("li", {}, el("i", {style: `background:${colour}`}), text))));
}

// rows: [name, [part...]]; parts and colours in the same order, as counts.
function shareChart(name, parts, colours, rows) {
    const width = 800, left = 110, right = 20, high = 28;
    const drawn = rows.map(([text, counts], i) => {
        const all = Math.max(sum(counts), 1);
        let x = left;
        return [svg("text", {x: left - 8, y: i * high + 17, "text-anchor": "end"}, text), counts.map((count, k) => {
            const wide = (width - left - right) * count / all, box = [
                svg("rect", {x, y: i * high + 3, width: wide, height: high - 8, fill: colours[k]}, svg("title", {}, `${text}, ${parts[k]}: ${count}`)),
                wide > 24 ? svg("text", {x: x + wide / 2, y: i * high + 17, "text-anchor": "middle", class: "inside"}, count) : null];
            x += wide;
            return box;
        })];
    });
    return el("figure", {}, el("div", {class: "scroll wide"}, drawing(width, rows.length * high + 4, name,
        rows.map(([text, counts]) => `${text}: ${counts.map((count, k) => `${parts[k]} ${count}`).join(", ")}`).join("; "), drawn)),
        el("ul", {class: "legend"}, parts.map((text, k) => el("li", {}, el("i", {style: `background:${colours[k]}`}), text))));
}
