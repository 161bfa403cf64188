// roofline.js - the roof of the GPU, and where kernels and stages stand below it.

// Places for labels beside their points, so that none lies on another one, on a point or beyond the edge: the nearest that is free.
function placeLabels(points, width, height, taken) {
    const pen = document.createElement("canvas").getContext("2d"), boxes = [...taken], high = 14;
    pen.font = "11px system-ui, sans-serif";
    points.forEach(({x, y, r}) => boxes.push([x - r - 1, y - r - 1, x + r + 1, y + r + 1]));
    const isFree = ([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= width && bottom <= height &&
        boxes.every((box) => right <= box[0] || left >= box[2] || bottom <= box[1] || top >= box[3]);
    return points.map(({x, y, r, name}) => {
        const long = pen.measureText(name).width * 1.1 + 6;
        for (let turn = 0; turn < 60; turn++) // beside the point, then above and below in turn, a line farther each time; then in a further column
            for (const [side, up] of [[1, -1], [-1, -1], [1, 1], [-1, 1]]) {
                const step = turn % 20, far = r + 3 + 3 * step + 140 * Math.floor(turn / 20), at = [x + side * far, y + up * step * (high + 1)];
                const box = side > 0 ? [at[0], at[1] - high / 2, at[0] + long, at[1] + high / 2] : [at[0] - long, at[1] - high / 2, at[0], at[1] + high / 2];
                if (isFree(box)) {
                    boxes.push(box);
                    return {x: box[0] + 3, y: at[1] + 4, line: turn ? [x, y, ...at] : null};
                }
            }
        return null; // its name is in the table below
    });
}

function rooflineSection(points, roof) {
    const shown = points.filter((point) => point.flop > 0 && point.bytes > 0);
    if (!shown.length)
        return null;
    const width = 680, height = 380, left = 62, right = 12, top = 22, bottom = 44, low = -5, high = 9; // powers of two: flop per byte
    const peak = roof.peak_gflops, octaves = 14, edge = height - bottom;
    const x = (intensity) => left + (width - left - right) * Math.min(Math.max((Math.log2(intensity) - low) / (high - low), 0), 1);
    const y = (gflops) => top + (edge - top) * Math.min(Math.max(Math.log2(peak / gflops) / octaves, 0), 1);
    const ridge = peak / roof.dram_gbs, start = Math.max(2 ** low, peak / 2 ** octaves / roof.dram_gbs);
    const line = `M${x(start)} ${y(start * roof.dram_gbs)} L${x(ridge)} ${y(peak)} L${x(2 ** high)} ${y(peak)}`;
    const grid = [], ticks = [], taken = [];
    for (let power = low; power <= high; power++) {
        grid.push(svg("path", {d: `M${x(2 ** power)} ${top} V${edge}`}));
        if ((power - low) % 2 === 0)
            ticks.push(svg("text", {x: x(2 ** power), y: edge + 16, "text-anchor": power === low ? "start" : power === high ? "end" : "middle", class: "soft"}, power < 0 ? `1/${2 ** -power}` : 2 ** power));
    }
    const least = peak / 2 ** octaves;
    for (let tens = Math.floor(Math.log10(least)); 10 ** tens <= peak; tens++)
        for (const gflops of [1, 2, 5].map((factor) => factor * 10 ** tens).filter((one) => one >= least && one <= peak)) {
            grid.push(svg("path", {d: `M${left} ${y(gflops)} H${width - right}`}));
            if (gflops === 10 ** tens)
                ticks.push(svg("text", {x: left - 6, y: y(gflops) + 4, "text-anchor": "end", class: "soft"}, number(gflops)));
        }
    const slope = `${number(roof.dram_gbs)} GB/s from and to DRAM`, flat = `${number(peak)} GFLOP/s`;
    const middle = Math.sqrt(start * ridge), angle = Math.atan2(y(ridge * roof.dram_gbs) - y(start * roof.dram_gbs), x(ridge) - x(start)) * 180 / Math.PI;
    const roofs = [svg("text", {x: 0, y: -8, "text-anchor": "middle", class: "soft", transform: `translate(${x(middle)} ${y(middle * roof.dram_gbs)}) rotate(${angle.toFixed(1)})`}, slope),
        svg("text", {x: width - right, y: top - 6, "text-anchor": "end", class: "soft"}, flat)];
    for (let i = 0; i <= 40; i++) { // nothing is written across the roof, or on its own words
        const at = start * (ridge / start) ** (i / 40);
        taken.push([x(at) - 16, y(at * roof.dram_gbs) - 20, x(at) + 2, y(at * roof.dram_gbs) + 2]);
    }
    taken.push([x(ridge), y(peak) - 20, width, y(peak) + 2], [0, 0, left, height], [0, edge, width, height]);
    const rows = shown.map((point) => {
        const intensity = point.flop / point.bytes, gflops = point.flop / point.time_us * 1e-3;
        return {...point, intensity, gflops, part: gflops / Math.min(peak, intensity * roof.dram_gbs), x: x(intensity), y: y(gflops), r: point.isNow ? 7 : 5};
    });
    const places = placeLabels(rows, width, height, taken);
    const marks = rows.map((row, i) => [
        places[i] && places[i].line ? svg("path", {d: `M${places[i].line[0]} ${places[i].line[1]} L${places[i].line[2]} ${places[i].line[3]}`, stroke: "var(--soft)"}) : null,
        svg("circle", {cx: row.x, cy: row.y, r: row.r, fill: row.isNow ? "var(--hot)" : "var(--used)", stroke: "var(--paper)"},
            svg("title", {}, `${row.name}: ${number(row.gflops)} GFLOP/s`)),
        places[i] ? svg("text", {x: places[i].x, y: places[i].y, class: row.isNow ? "strong" : null}, row.name) : null]);
    return wide(3, section("Roofline",
        el("figure", {class: "scroll wide"}, drawing(width, height, "Roofline",
            rows.map((row) => `${row.name}: ${number(row.intensity)} flop per byte, ${number(row.gflops)} GFLOP/s, ${percent(row.part)} of the roof`).join("; "),
            svg("g", {class: "grid"}, grid), svg("path", {d: line, fill: "none", stroke: "var(--ink)", "stroke-width": 2}), ticks, roofs, marks,
            svg("text", {x: width - right, y: height - 8, "text-anchor": "end", class: "soft"}, "flop per byte of DRAM"),
            svg("text", {x: left, y: 12, "text-anchor": "middle", class: "soft"}, "GFLOP/s"))),
        table(["", "flop per byte", "GFLOP/s", "of the roof"],
            rows.map((row) => [row.name, number(row.intensity), number(row.gflops), percent(row.part)]), ["text"])));
}
