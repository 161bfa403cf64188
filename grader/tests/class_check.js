// class_check.js - pages of a class, held against its store. Between readable.js and common/page/tests/frames.js; before it stands
// STORE, what the sqlite3 tool said: {students, stages, findings}.

const rowsOf = (table) => [...table.tBodies[0].rows];
const cellsOf = (row) => [...row.cells].map((cell) => cell.textContent);

function check_shown(name, inside) {
    check_drawings(name, inside, 0);
    check_text(name, inside);
    check_width(name, inside);
    if (inside.defaultView.hacked || inside.querySelector("main script, main b, main img, main iframe"))
        say(name, "a name was taken for markup");
}

function tableBelow(inside, title, which = 0) {
    const part = [...inside.querySelectorAll("section")].find((one) => one.querySelector("h2").textContent === title);
    return part && part.querySelectorAll("table")[which];
}

// Everybody is there, with the points and the status that the store has.
function check_students(name, inside, data) {
    const shown = rowsOf(inside.getElementById("students")).map(cellsOf);
    const column = (text) => [...inside.getElementById("students").tHead.rows[0].cells].findIndex((cell) => cell.textContent === text);
    if (shown.length !== STORE.students.length)
        say(name, `${shown.length} students are shown, the store has ${STORE.students.length}`);
    for (const one of STORE.students) {
        const row = data.isAnonymous ? null : shown.find((cells) => cells[0] === one.name);
        if (data.isAnonymous)
            continue;
        if (!row)
            say(name, `${one.name} is not shown`);
        else if (row[column("points")] !== String(one.points ?? "–") || row[column("bonus")] !== String(one.bonus ?? "–") || !row[column("status")].startsWith(one.status))
            say(name, `${one.name} is shown as ${row.join("|")}, the store has ${one.points}, ${one.bonus}, ${one.status}`);
    }
}

function check_stages(name, inside) {
    const rows = rowsOf(tableBelow(inside, "Stages")).map(cellsOf);
    for (const one of STORE.stages) {
        const row = rows.find((cells) => cells[0].split(" ")[0] === one.id);
        if (!row || +row[2] !== one.full || +row[3] !== one.part || +row[4] !== one.none)
            say(name, `stage ${one.id} is shown as ${row}, the store has ${one.full}, ${one.part}, ${one.none}`);
    }
    const timed = rowsOf(tableBelow(inside, "Speedups")).map(cellsOf);
    for (const one of STORE.stages.filter((stage) => stage.timed)) {
        const row = timed.find((cells) => cells[0] === one.id), close = (text, value) => Math.abs(parseFloat(text) - value) < 0.011;
        if (!row || +row[1] !== one.timed || !close(row[4], one.slowest) || !close(row[6], one.fastest))
            say(name, `speedups of ${one.id} are shown as ${row}, the store has ${one.timed}, ${one.slowest} to ${one.fastest}`);
    }
}

function check_findings(name, inside) {
    const rows = rowsOf(tableBelow(inside, "Findings")).map(cellsOf);
    for (const one of STORE.findings)
        if (!rows.some((cells) => cells[0] === one.title && +cells[1] === one.students))
            say(name, `"${one.title}" of ${one.students} is not among ${rows.join(" / ")}`);
}

function check_histogram(name, inside, data) {
    const drawing = [...inside.querySelectorAll("svg")].find((one) => one.querySelector("title").textContent === "Distribution of points");
    const counts = [...drawing.querySelector("desc").textContent.matchAll(/(\d+) to (\d+): (\d+)/g)].map((found) => found.slice(1).map(Number));
    for (const [from, to, count] of counts) {
        const want = STORE.students.filter((one) => one.points != null && one.points >= from && one.points <= to).length;
        if (want !== count)
            say(name, `${count} have ${from} to ${to} points, the store has ${want}`);
    }
    if (counts.length !== 10 || counts.at(-1)[1] !== data.most)
        say(name, "the histogram does not reach from none to all points");
}

function check_sorting(name, inside) {
    const table = inside.getElementById("students"), head = [...table.tHead.rows[0].cells].find((cell) => cell.textContent === "points"), at = head.cellIndex;
    const points = () => rowsOf(table).map((row) => row.cells[at].textContent).filter((text) => text !== "–").map(Number);
    head.querySelector("button").click();
    if (head.getAttribute("aria-sort") !== "descending" || points().some((one, i, all) => i && one > all[i - 1]))
        say(name, "points do not come in order");
    head.querySelector("button").click();
    if (head.getAttribute("aria-sort") !== "ascending" || points().some((one, i, all) => i && one < all[i - 1]))
        say(name, "points do not come in the other order");
    if (rowsOf(table).at(-1).cells[at].textContent !== "–" && STORE.students.some((one) => one.points == null))
        say(name, "those without points are not the last");
}

function check_filter(name, inside) {
    const table = inside.getElementById("students"), filter = inside.getElementById("filter"), status = filter.closest(".bar").querySelector("select");
    const type = (text) => { filter.value = text; filter.dispatchEvent(new Event("input")); };
    type(STORE.students[0].name.toUpperCase());
    if (!rowsOf(table).length || rowsOf(table).some((row) => !row.textContent.toLowerCase().includes(STORE.students[0].name.toLowerCase())))
        say(name, "the filter does not find a name");
    type("nobody is called like this");
    if (rowsOf(table).length)
        say(name, "the filter lets all through");
    type("");
    for (const option of status.options) {
        status.value = option.value;
        status.dispatchEvent(new Event("change"));
        const want = STORE.students.filter((one) => option.value === "all" || one.status === option.value || (option.value === "late" && one.late) ||
            (option.value === "by hand" && one.override)).length;
        if (rowsOf(table).length !== want)
            say(name, `${rowsOf(table).length} students are ${option.value}, the store has ${want}`);
    }
    status.value = "all";
    status.dispatchEvent(new Event("change"));
}

function check_class(name, inside, data) {
    check_students(name, inside, data);
    check_stages(name, inside);
    check_findings(name, inside);
    check_histogram(name, inside, data);
    check_sorting(name, inside);
    if (!data.isAnonymous)
        check_filter(name, inside);
}

function check_student(name, inside, data) {
    const one = STORE.students.find((student) => student.name === data.student.name);
    if (!inside.querySelector("h1").textContent.startsWith(data.student.name))
        say(name, "it does not name its student");
    if (!one || (one.points == null) !== (data.student.points == null) || (one.points != null && !inside.body.textContent.includes(`${one.points} of ${data.most} points`)))
        say(name, "it does not show the points");
    for (const stage of data.student.stages.filter((own) => own.points < own.most && own.hint))
        if (!inside.body.textContent.includes(stage.hint))
            say(name, `it does not say what next in ${stage.id}`);
}

function check_board(name, inside) {
    for (const part of inside.querySelectorAll("section")) {
        const rows = [...part.querySelectorAll("table")].flatMap(rowsOf).map(cellsOf), speedups = rows.map((row) => parseFloat(row[2]));
        if (speedups.some((one, i) => i && one > speedups[i - 1]))
            say(name, "it is not in order");
        const own = rows.filter((row) => row[0]);
        own.forEach((row) => {
            const want = own.filter((other) => parseFloat(other[2]) > parseFloat(row[2])).length + 1;
            if (+row[0] !== want)
                say(name, `${row[1]} has rank ${row[0]}, not ${want}`);
        });
    }
}

function check_similar(name, inside, data) {
    const buttons = [...inside.querySelectorAll("td button")];
    if (buttons.length !== data.pairs.length)
        say(name, `${buttons.length} pairs are shown, there are ${data.pairs.length}`);
    buttons.forEach((button, i) => {
        button.click();
        const panes = [...inside.querySelectorAll(".source")], lines = panes.map((pane) => [...pane.querySelectorAll("li.same")]);
        if (button.getAttribute("aria-pressed") !== "true" || panes.length !== 2 || lines.some((one) => !one.length))
            return say(name, `pair ${i + 1} is not shown`);
        lines[0].at(-1).click();
        if (!panes[1].querySelector(".twin"))
            say(name, "a chosen run is not shown on the other side");
        check_width(name, inside);
    });
}

function check_content(name, inside, data) {
    ({class: check_class, student: check_student, board: check_board, similar: check_similar})[data.kind](name, inside, data);
    check_shown(name, inside);
}
