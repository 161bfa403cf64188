// roofline.js - the roof of the GPU, and where kernels and stages stand below it.

function rooflineSection(points, roof) {
    const shown = points.filter((point) => point.flop > 0 && point.bytes > 0);
    if (!shown.length)
        return null;
    const width = 800, height = 340, left = 70, bottom = 40, low = -5, high = 9; // powers of two: flop per byte
    const peak = roof.peak_gflops, floor = peak / 2 ** 14;
    const x = (intensity) => left + (width - left - 20) * Math.min(Math.max((Math.log2(intensity) - low) / (high - low), 0), 1);
    const y = (gflops) => 15 + (height - bottom - 15) * Math.min(Math.max(Math.log2(peak / gflops) / Math.log2(peak / floor), 0), 1);
    const ridge = peak / roof.dram_gbs;
    const start = Math.max(2 ** low, floor / roof.dram_gbs);
    const line = `M${x(start)} ${y(start * roof.dram_gbs)} L${x(ridge)} ${y(peak)} L${x(2 ** high)} ${y(peak)}`;
    const ticks = [];
    for (let power = low; power <= high; power += 2)
        ticks.push(svg("text", {x: x(2 ** power), y: height - bottom + 16, "text-anchor": "middle", class: "soft"},
            power < 0 ? `1/${2 ** -power}` : 2 ** power));
    for (let power = 0; power <= 12; power += 3)
        ticks.push(svg("text", {x: left - 6, y: y(peak / 2 ** power) + 4, "text-anchor": "end", class: "soft"}, number(peak / 2 ** power)));
    const rows = shown.map((point) => {
        const intensity = point.flop / point.bytes, gflops = point.flop / point.time_us * 1e-3;
        return {...point, intensity, gflops, part: gflops / Math.min(peak, intensity * roof.dram_gbs)};
    });
    const marks = rows.map((row, i) => [
        svg("circle", {cx: x(row.intensity), cy: y(row.gflops), r: row.isNow ? 7 : 5, fill: row.isNow ? "var(--hot)" : "var(--used)"},
            svg("title", {}, `${row.name}: ${number(row.gflops)} GFLOP/s`)),
        svg("text", {x: x(row.intensity) + 9, y: y(row.gflops) + 4 + (i % 2 ? 9 : 0)}, row.name)]);
    return section("Roofline",
        el("p", {}, `The roof: ${number(peak)} GFLOP/s, and ${number(roof.dram_gbs)} GB/s from and to DRAM.`),
        el("figure", {class: "scroll wide"}, drawing(width, height, "Roofline",
            rows.map((row) => `${row.name}: ${number(row.intensity)} flop per byte, ${number(row.gflops)} GFLOP/s, ${percent(row.part)} of the roof`).join("; "),
            svg("path", {d: line, fill: "none", stroke: "var(--ink)", "stroke-width": 2}), ticks, marks,
            svg("text", {x: width - 20, y: height - 6, "text-anchor": "end", class: "soft"}, "flop per byte of DRAM"),
            svg("text", {x: 4, y: 11, class: "soft"}, "GFLOP/s"))),
        table(["", "flop per byte", "GFLOP/s", "of the roof"],
            rows.map((row) => [row.name, number(row.intensity), number(row.gflops), percent(row.part)]), ["text"]));
}
