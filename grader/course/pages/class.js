// class.js - a class on one page: points, statuses, stages, speedups, findings, what is worth a look, and everybody.

const STATUSES = [["graded", "var(--k6)"], ["build failed", "var(--k2)"], ["crashed", "var(--k3)"], ["timed out", "var(--k0)"],
    ["refused", "var(--k5)"], ["error", "var(--clash)"], ["missing", "var(--k4)"]];

function stageOf(student, row) {
    return (student.stages || []).find((stage) => stage.row === row);
}

// Those whose submission was looked at: an error of the kit says nothing about them.
function judged(data) {
    return data.students.filter((one) => !["missing", "error"].includes(one.status));
}

// The page compares what was measured on the same kind of GPU alone.
function isMeasuredLike(student, reference) {
    return student.backend === reference.backend && student.gpu === reference.gpu;
}

function solutionOf(data, stage) {
    return (data.reference.stages[stage.id] || {speedup: 0}).speedup;
}

function facts(data) {
    const points = data.students.filter((one) => one.points != null).map((one) => one.points), full = points.filter((one) => one >= data.most).length;
    const told = [[data.students.length, "students"], [data.students.filter((one) => one.status !== "missing").length, "handed in"],
        [number(median(points)), `median of ${data.most} points`], [number(mean(points)), "mean"], [full, "with all points"],
        [data.students.filter((one) => one.isLate).length, "late"], [data.students.filter((one) => one.override).length, "by hand"]];
    return el("dl", {class: "facts"}, told.map(([value, words]) => el("div", {}, el("dt", {}, words), el("dd", {}, value))));
}

function pointsSection(data) {
    const points = data.students.filter((one) => one.points != null).map((one) => one.points);
    return points.length ? section("Points", histogram("Distribution of points", points, data.most)) : null;
}

function statusSection(data) {
    const rows = STATUSES.map(([status, colour]) => [status, data.students.filter((one) => one.status === status), colour]).filter(([, list]) => list.length);
    return section("Statuses",
        stackedBar("Statuses", rows.map(([status, list, colour]) => [`${status} (${list.length})`, list.length / data.students.length, colour])),
        table(["status", "students", "who"], rows.filter(([status]) => status !== "graded").map(([status, list]) => [status, list.length, peopleFolded(list)]),
            ["text", null, "text names"]));
}

function stagesOverview(data) {
    const all = judged(data), parts = ["all points", "some", "none"];
    const rows = data.lab_stages.map((stage) => {
        const got = all.map((one) => (stageOf(one, stage.row) || {points: 0}).points);
        const counts = [got.filter((one) => one >= stage.most).length, got.filter((one) => one > 0 && one < stage.most).length, got.filter((one) => one <= 0).length];
        const symptoms = grouped(all.map((one) => stageOf(one, stage.row)).filter((one) => one && one.points < stage.most && one.symptom !== "none"), (one) => one.symptom);
        return {stage, got, counts, symptoms};
    });
    return section("Stages",
        el("p", {class: "soft"}, `Of the ${plural(all.length, "submission")} that were looked at. What is missing or failed by the kit's own fault is not counted.`),
        shareChart("Points of stages", parts, ["var(--k6)", "var(--k5)", "var(--k4)"], rows.map((row) => [row.stage.id, row.counts])),
        table(["stage", "of", "all points", "some", "none", "median", "what is wrong with the others"], rows.map(({stage, got, counts, symptoms}) => [
            `${stage.id}${stage.isBonus ? " (bonus)" : ""}`, stage.most, counts[0], counts[1], counts[2], number(median(got)),
            symptoms.map(([symptom, list]) => `${symptom.replaceAll("-", " ")} ${list.length}`).join(", ")]), ["text", null, null, null, null, null, "text names"]));
}

function speedupsSection(data) {
    const rows = data.lab_stages.map((stage) => {
        const timed = data.students.map((one) => [one, stageOf(one, stage.row)]).filter(([, own]) => own && own.speedup > 0);
        return {stage, timed, name: stage.id, solution: solutionOf(data, stage), needs: [...new Set(data.students.map((one) => (stageOf(one, stage.row) || {needed: 0}).needed))]
            .filter((need) => need > 0).sort((a, b) => a - b), values: timed.map(([one, own]) => [own.speedup, one.name])};
    }).filter((row) => row.timed.length);
    const end = (timed, isFast) => timed.reduce((best, one) => !best || (isFast ? one[1].speedup > best[1].speedup : one[1].speedup < best[1].speedup) ? one : best, null);
    const cell = (one) => [`${times(one[1].speedup)} `, person(one[0])];
    return rows.length ? section("Speedups",
        data.environments.length > 1 ? el("p", {}, "Not all were measured in the same place: compare with care (see the end of the page).") : null,
        stripPlot("Speedups of stages", rows),
        data.reference.measured ? el("p", {class: "soft"}, data.reference.measured) : null,
        table(["stage", "measured", "needed", "reached it", "slowest", "median", "fastest", "solution"], rows.map((row) => [row.name, row.timed.length,
            row.needs.map((need) => times(need)).join(", "), row.needs.length ? row.timed.filter(([, own]) => own.speedup >= row.needs.at(-1)).length : "",
            el("td", {class: "names"}, cell(end(row.timed, false))), times(median(row.values.map(([value]) => value))), el("td", {class: "names"}, cell(end(row.timed, true))),
            row.solution ? times(row.solution) : "–"]), ["text", null, null, null, "names", null, "names"])) : null;
}

function findingsSection(data) {
    const all = data.students.flatMap((student) => (student.findings || []).map((one) => ({...one, student})));
    const name = (row) => (data.lab_stages.find((stage) => stage.row === row) || {id: row}).id;
    const rows = grouped(all, (one) => one.title).map(([title, list]) => ({title, stages: grouped(list, (one) => one.stage).map(([row]) => name(row)),
        students: [...new Set(list.map((one) => one.student))], times: list.length})).sort((a, b) => b.students.length - a.students.length);
    return section("Findings", rows.length ? [el("p", {class: "soft"}, "What the checkers of the virtual GPU said: races, accesses out of bounds, values that nobody wrote."),
        table(["finding", "students", "times", "stages", "who"], rows.map((row) => [row.title, row.students.length, row.times, row.stages.join(", "), peopleFolded(row.students)]),
            ["text names", null, null, "text", "text names"])] : el("p", {}, "The checkers found nothing."));
}

// Far above what the kit's solution reaches there, or else above what others do.
function fastOnes(data, stage) {
    const timed = data.students.map((one) => [one, stageOf(one, stage.row)]).filter(([, own]) => own && own.speedup > 0);
    const others = timed.length >= 8 ? 2 * quantile(timed.map(([, own]) => own.speedup), 0.75) : Infinity;
    return timed.flatMap(([student, own]) => {
        const solution = isMeasuredLike(student, data.reference) ? solutionOf(data, stage) : 0;
        return own.speedup > (solution ? 1.25 * solution : others) ? [[student, `${stage.id}: ${times(own.speedup)}, ` +
            (solution ? `the kit's solution ${times(solution)}` : "twice as much as most others") + ": very good, or not what it seems."]] : [];
    });
}

function oddOnes(data, student, took) {
    const found = [];
    if (student.took > 4 * took && student.took > took + 10)
        found.push([student, `took ${number(student.took)} s to grade; the median is ${number(took)} s.`]);
    if (["crashed", "timed out"].includes(student.status))
        found.push([student, `${student.status}. ${student.message || ""}`]);
    if (student.status === "error")
        found.push([student, `an error of the kit, no grade: ./grade results DIR --regrade failed tries again. ${student.message || ""}`]);
    return found;
}

// What an instructor would want to see with his own eyes. Limits are wide: each line should be worth reading.
function outliers(data) {
    const took = median(judged(data).map((one) => one.took).filter((one) => one > 0));
    return [...data.lab_stages.flatMap((stage) => fastOnes(data, stage)), ...data.students.flatMap((one) => oddOnes(data, one, took))];
}

function outliersSection(data) {
    const found = outliers(data);
    return section("Worth a look", found.length ? el("ul", {id: "outliers"}, found.map(([student, words]) => el("li", {}, person(student), ": ", words)))
        : el("p", {}, "Nothing stands out: no speedup far above the solution's, no crash, no submission that took much longer than others."));
}

function exceptionsSection(data) {
    const late = data.students.filter((one) => one.isLate).sort((a, b) => b.lateSeconds - a.lateSeconds), byHand = data.students.filter((one) => one.override);
    if (!late.length && !byHand.length)
        return null;
    return section("Late, and by hand",
        late.length ? [el("p", {}, `Deadline ${data.deadline || "not known"}; the rule: ${data.late || "nothing is lost"}.`),
            table(["late", "by", "earned", "counts"], late.map((one) => [person(one), one.lateSeconds ? duration(one.lateSeconds) : "the platform says so",
                one.earned ?? "–", one.points ?? "–"]), ["text names", "text"])] : null,
        byHand.length ? table(["by hand", "graded", "counts", "bonus", "why", "when"], byHand.map((one) => [person(one), one.earned ?? "–", one.points, one.bonus,
            one.override.reason, one.override.made]), ["text names", null, null, null, "text names", "text"]) : null);
}

function statusWords(student) {
    return [student.status, student.isClosed ? "too late to count" : student.isLate ? "late" : "", student.override ? "by hand" : "",
        student.submissions > 1 ? `1 of ${student.submissions} submissions counts` : ""]
        .filter((one) => one).join(", ");
}

function studentColumns(data) {
    const columns = [{head: "student", class: "text names", value: (one) => one.name, cell: person},
        {head: "points", value: (one) => one.points, cell: (one) => one.points ?? "–", isDownFirst: true},
        {head: "bonus", value: (one) => one.bonus, cell: (one) => one.bonus ?? "–", isDownFirst: true}];
    if (data.students.some((one) => one.section))
        columns.splice(1, 0, {head: "section", class: "text", value: (one) => one.section, cell: (one) => one.section || ""});
    for (const stage of data.lab_stages) {
        const points = (one) => (one.status === "error" ? undefined : (stageOf(one, stage.row) || {}).points);
        columns.push({head: stage.id, value: points, cell: (one) => points(one) ?? "", isDownFirst: true});
    }
    return [...columns, {head: "status", class: "text", value: statusWords, cell: statusWords},
        {head: "message", class: "text names", value: (one) => one.message, cell: (one) => one.message || ""},
        {head: "seconds", value: (one) => one.took, cell: (one) => one.took == null ? "–" : one.took.toFixed(1), isDownFirst: true}];
}

function studentsSection(data) {
    const list = sortableTable(studentColumns(data), data.students, "students"), told = el("span", {role: "status"}, plural(data.students.length, "student"));
    let words = "", status = "all";
    const show = () => {
        told.textContent = plural(list.filter((one) => (status === "all" || one.status === status || (status === "late" && one.isLate) || (status === "by hand" && one.override)) &&
            [one.name, one.id, one.section, one.message].some((text) => (text || "").toLowerCase().includes(words))), "student");
    };
    return section("Students",
        el("div", {class: "bar filters"}, el("label", {}, "Filter ", el("input", {type: "search", id: "filter", oninput: (event) => { words = event.target.value.toLowerCase(); show(); }})),
            choice("status", [["all", "all"], ...STATUSES.map(([name]) => [name, name]).filter(([name]) => data.students.some((one) => one.status === name)), ["late", "late"],
                ["by hand", "by hand"]], "all", (value) => { status = value; show(); }), told),
        list.node);
}

function environmentsSection(data) {
    return section("How it was graded", el("ul", {}, data.environments.map((one) => el("li", {}, `On ${gpuWords(one)}` + (one.toolkit ? `, CUDA ${one.toolkit}` : "") +
        (one.driver ? `, driver ${one.driver}` : "") + `, kit ${one.kit}; sandbox: ${one.sandbox}.`))),
        el("p", {class: "soft"}, `Of several submissions of one student ${data.take === "best" ? "the best" : "the last"} counts.`));
}

function classPage(data) {
    const last = data.students.map((one) => one.begun || "").sort().at(-1);
    return [el("h1", {}, `${data.lab}: ${data.title}`), el("p", {class: "soft"}, `${data.isAnonymous ? "A class without names" : "A class"}` +
        (last ? `, last graded ${last.replace("T", " ").replace("Z", " UTC")}.` : ".")), facts(data),
        pointsSection(data), statusSection(data), stagesOverview(data), speedupsSection(data), findingsSection(data), outliersSection(data), exceptionsSection(data),
        studentsSection(data), environmentsSection(data)];
}
