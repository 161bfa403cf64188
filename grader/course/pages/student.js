// student.js - one student's page: stages, points, and why points were lost.

function pointsWords(data, student) {
    if (student.points == null)
        return [`No grade: ${student.status}.`];
    const words = [`${student.points} of ${data.most} points${student.bonus ? `, bonus ${student.bonus}` : ""}.`];
    if (student.isLate)
        words.push((student.lateSeconds ? `Handed in ${duration(student.lateSeconds)} after the deadline (${data.deadline}).` : "Handed in late.") +
            ` The rule: ${data.late || "nothing is lost"}.`);
    if (student.earned !== student.points || student.earnedBonus !== student.bonus)
        words.push(`Earned: ${plural(student.earned, "point")}${student.earnedBonus ? `, bonus ${student.earnedBonus}` : ""}.`);
    if (student.uncounted)
        words.push(student.uncounted);
    if (student.override)
        words.push(`Points by hand (${student.override.made}): ${student.override.reason}`);
    return words;
}

function goals(stage) {
    const parts = [[stage.isRight, "right"], [stage.isClean, "clean"], [stage.hasConcept, "concept"]].map(([is, name]) => `${is ? "✓" : "✗"} ${name}`);
    return parts.join("  ") + (stage.speedup > 0 ? `  ${stage.needed > 0 && stage.speedup < stage.needed ? "✗" : "✓"} ${times(stage.speedup)}` : "") +
        (stage.needed > 0 ? ` (needed ${times(stage.needed)})` : "");
}

function stageCard(data, student, stage) {
    const cases = student.cases.filter((one) => one.stage === stage.row), wrong = cases.filter((one) => !one.isRight);
    const findings = student.findings.filter((one) => one.stage === stage.row), explained = student.explained.filter((one) => one.stage === stage.row);
    return section(`${stage.row}. ${stage.id}: ${stage.points} of ${stage.most}${stage.isBonus ? " (bonus)" : ""}`,
        el("p", {}, stage.title), el("p", {class: "goals"}, goals(stage)),
        stage.time > 0 ? el("p", {}, `${microseconds(stage.time)}` + (stage.baseline > 0 ? `; the baseline takes ${microseconds(stage.baseline)}.` : ".")) : null,
        stage.message ? el("pre", {}, stage.message) : null,
        stage.hint && stage.points < stage.most ? el("p", {}, el("strong", {}, "What next: "), stage.hint) : null,
        wrong.length ? [el("h3", {}, `${wrong.length} of ${plural(cases.length, "case")} wrong`), el("ul", {}, wrong.map((one) => el("li", {}, `${one.name}: ${one.text}`)))] : null,
        findings.length ? [el("h3", {}, "Findings"), findings.map((one) => el("details", {}, el("summary", {}, `${one.severity}: ${one.title}${one.place ? ", " + one.place : ""}`),
            el("pre", {}, one.text)))] : null,
        explained.map((one) => el("p", {}, one.href ? el("a", {href: one.href}, one.text) : one.text)));
}

function studentPage(data) {
    const student = data.student, timed = student.stages.filter((stage) => stage.speedup > 0), where = student.environment;
    return [el("h1", {}, el("bdi", {}, student.name), `, ${data.lab}: ${data.title}`), pointsWords(data, student).map((words) => el("p", {}, words)),
        student.message ? el("pre", {}, student.message) : null, student.note ? el("p", {class: "soft"}, student.note) : null,
        student.stages.length ? section("Stages",
            table(["stage", "points", "of", "goals"], student.stages.map((stage) => [`${stage.row}. ${stage.id}`, stage.points, stage.most, goals(stage)]), ["text", null, null, "text"]),
            timed.length ? barChart("Speedups of the stages", timed.map((stage) => [stage.id, stage.speedup, `${times(stage.speedup)}` +
                (stage.needed ? ` (${stage.speedup < stage.needed ? "needs" : "needed"} ${times(stage.needed)})` : ""),
                stage.needed && stage.speedup < stage.needed ? "var(--k5)" : "var(--used)", stage.needed]), "The red mark is what the stage needs.") : null) : null,
        student.stages.map((stage) => stageCard(data, student, stage)),
        section("How it was graded", where ? el("p", {}, `${student.source}${student.submitted ? `, handed in ${student.submitted}` : ""}; graded ${student.begun} on ${gpuWords(where)}` +
            `${where.toolkit ? `, CUDA ${where.toolkit}` : ""}, kit ${where.kit}.`) : el("p", {}, "There is no submission: no file in the folder that was graded could be told to be this student's. Whoever handed one in should say so: perhaps its name " +
            "does not fit the list of the class."),
        el("p", {class: "soft"}, `On boards without names this is ${student.pseudonym}.`))];
}
