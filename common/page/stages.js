// stages.js - what ./grade adds: the lab's stages, the reference solution's counters, earlier attempts; and a kernel on other GPUs.

function stagesSection(stages) {
    if (!stages || !stages.length)
        return null;
    const rows = stages.filter((one) => one.speedup > 0).map((one) => [one.name, one.speedup, `${number(one.speedup)}x` +
        (one.need ? ` (${one.speedup < one.need ? "needs" : "needed"} ${number(one.need)}x)` : ""), one.isNow ? "var(--hot)" : one.need && one.speedup < one.need ? "var(--k5)" : "var(--used)", one.need]);
    return wide(3, section("The lab's stages", rows.length ? barChart("Speedups of the stages", rows,
        "Speedups as last graded; the red mark is what the stage needs.") : null,
        table(["stage", "points", "of"], stages.filter((one) => one.most).map((one) => [one.name, one.points ?? "–", one.most]), ["text"])));
}

function referenceSection(reference, profileCounters) {
    const rows = Object.entries(reference || {}).filter(([name, value]) => value || profileCounters[name]).map(([name, value]) => [name, number(profileCounters[name] || 0), number(value),
        value ? number((profileCounters[name] || 0) / value) : "–", value ? (profileCounters[name] || 0) / value : Infinity]);
    const heads = ["counter", "yours", "reference", "yours / reference"], isFar = (row) => !(Math.abs(row[4] - 1) < 0.05);
    const far = rows.filter(isFar), near = rows.filter((row) => !isFar(row));
    const cells = (list) => list.map((row) => row.slice(0, 4));
    return rows.length ? wide(3, section("Beside the reference solution",
        el("p", {class: "soft"}, "The same stage, the same size: what both count. How it does it is not shown."),
        far.length ? table(heads, cells(far), ["text"]) : el("p", {}, "No counter differs by more than 5 %."),
        near.length ? el("details", {}, el("summary", {}, `${plural(near.length, "counter")} that differ by less than 5 %`),
            table(heads, cells(near), ["text"])) : null)) : null;
}

function gpusSection(gpus) {
    if (!gpus || gpus.length < 2)
        return null;
    return wide(3, section("As if on another GPU",
        el("p", {class: "soft"}, "An estimate: the same instructions and the same traffic, with that GPU's units, clocks and sizes. What its own ",
            "caches keep is found by running it there: --gpu, or VGPU_GPU."),
        barChart("Time on other GPUs", [...gpus].sort((a, b) => a.time_us - b.time_us).map((one) => [one.gpu, one.time_us,
            `${microseconds(one.time_us)}, ${one.limiter}`, one.isNow ? "var(--hot)" : "var(--used)"]), "Times of the launch, and what limits it there.")));
}

function historySection(history) {
    return history && history.length ? wide(3, section("Your attempts",
        table(["when", "points", "speedup", "what changed"], history.map((one) => [one.when, `${one.points} of ${one.most}`,
            one.speedup ? number(one.speedup) + "x" : "–", one.changed || ""]), ["text", null, null, "text"]))) : null;
}
