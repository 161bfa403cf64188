// check.js - is a page about kernels fit to be used? Uses all that can be used in it, and holds what it shows against its data. Run by
// look.sh, between readable.js and frames.js.

const close = (a, b) => Math.abs(a - b) <= 0.006 * Math.max(Math.abs(a), Math.abs(b)) + 0.0051;
const read = (text) => parseFloat(text.replaceAll(",", ""));

// Each line's time, instructions and lanes, and with its detail all counters.
function check_lines(name, frame, profile) {
    let seen = 0;
    for (const line of profile.lines) {
        const row = frame.getElementById(`line-${line.file}-${line.line}`);
        if (!row || !profile.files[line.file])
            continue;
        const cells = [...row.cells].map((cell) => cell.textContent), counters = line.counters;
        const share = line.spent.reduce((a, b) => a + b, 0), lanes = counters.thread_instructions / counters.warp_instructions;
        if (share >= 0.0005 && !close(read(cells[1]), 100 * share))
            say(name, `line ${line.line} shows ${cells[1]}, ${100 * share} % is true`);
        if (!close(read(cells[2]), counters.warp_instructions) || !close(read(cells[3]), lanes))
            say(name, `line ${line.line} shows ${cells[2]} instructions and ${cells[3]} lanes`);
        row.querySelector("button").click();
        const detail = [...row.nextSibling.querySelectorAll("table")[0].tBodies[0].rows];
        for (const [counter, value] of Object.entries(counters)) {
            const found = detail.find((one) => one.cells[0].textContent === counter);
            if (!found || !close(read(found.cells[1].textContent), value))
                say(name, `line ${line.line} does not show ${counter} as ${value}`);
        }
        seen++;
    }
    if (!seen)
        say(name, "it shows no line");
}

function choose(select, value) {
    select.value = value;
    select.dispatchEvent(new Event("change"));
}

// Every access, as its worst, typical and first warp, with the sectors or passes that were counted.
function check_accesses(name, frame, profile) {
    const part = [...frame.querySelectorAll("section")].find((one) => one.textContent.startsWith("What accesses look like"));
    if (!part) {
        if (profile.accesses.some((one) => one.seen && one.space !== "constant"))
            say(name, "it has no pictures of accesses");
        return;
    }
    const [which, warp] = part.querySelectorAll("select"), drawn = profile.accesses.filter((one) => one.seen && one.space !== "constant");
    for (let i = 0; i < which.options.length; i++)
        for (const kind of ["worst", "typical", "first"]) {
            choose(which, i);
            choose(warp, kind);
            const told = part.querySelector("figcaption").textContent, picture = drawn[i][kind];
            const parts = drawn[i].space === "shared" ? /(\d+) pass/ : /(\d+) sectors/;
            if (+(told.match(parts) || [])[1] !== picture.cost)
                say(name, `line ${drawn[i].line}, ${drawn[i].space} ${drawn[i].verb}, ${kind}: "${told}", but it cost ${picture.cost}`);
        }
}

function check_player(name, frame, profile) {
    const player = [...frame.querySelectorAll(".player")].at(-1), steps = profile.tape.steps;
    if (!player)
        return say(name, "it has no player");
    const told = () => player.querySelector("[aria-live]").textContent, key = (which) =>
        player.dispatchEvent(new KeyboardEvent("keydown", {key: which, bubbles: true}));
    const expect = (step) => {
        const gap = steps[step - 1][1] < 0 ? steps[step - 1][4] : null, insn = profile.code[gap ? gap.last : steps[step - 1][1]];
        if (gap) {
            if (!told().startsWith(`Step ${step} of ${steps.length}: warp ${steps[step - 1][0]},`) || !told().includes("not shown"))
                say(name, `the player says "${told()}" at step ${step}, where steps are left out`);
        } else if (!told().startsWith(`Step ${step} of ${steps.length}: warp ${steps[step - 1][0]}, line ${insn.line},`) || !told().endsWith(insn.text))
            say(name, `the player says "${told()}" at step ${step}`);
    };
    key("Home");
    expect(1);
    key("ArrowRight");
    expect(Math.min(2, steps.length));
    key("End");
    expect(steps.length);
    key("ArrowLeft");
    expect(Math.max(steps.length - 1, 1));
    key("Home");
    expect(1);
    for (const jump of ["line", "round", "memory", "barrier"]) {
        choose(player.querySelectorAll("select")[0], jump);
        key("ArrowRight");
    }
    const slider = player.querySelector("input");
    for (let i = 1; i <= 10; i++) {
        slider.value = Math.ceil(i * steps.length / 10);
        slider.dispatchEvent(new Event("input"));
        expect(+slider.value);
    }
    const go = (step) => {
        slider.value = step;
        slider.dispatchEvent(new Event("input"));
    };
    check_loops(name, player, profile, go, told);
}

// Which iteration a step is in, going by iterations and past loops, and the list of steps with loops folded.
function check_loops(name, player, profile, go, told) {
    const {visits, trips, in: inside, steps} = profile.tape, list = player.querySelector("details:has(.steps)"), read_all = (text) => text.replaceAll(",", "");
    const shifted = (key) => player.dispatchEvent(new KeyboardEvent("keydown", {key, shiftKey: true, bubbles: true}));
    const where = () => read_all(player.querySelectorAll(".bar")[1].textContent), step_now = () => +told().match(/^Step (\d+)/)[1];
    list.open = true;
    list.dispatchEvent(new Event("toggle"));
    const items = () => [...list.querySelector(".steps > ul").children];
    if (!items().length)
        say(name, "the list of steps is empty");
    if (!visits.length)
        return;
    const chain = (trip) => trip ? [trip, ...chain(visits[trips[trip - 1][0] - 1][1])] : [];
    const at = inside.findIndex((trip, i) => trip && steps[i][1] >= 0), warp = steps[at][0];
    // Its words are the data's.
    for (const i of [at, inside.findLastIndex((trip, i) => trip && steps[i][1] >= 0)]) {
        go(i + 1);
        for (const trip of chain(inside[i])) {
            const [visit, number_, isTest] = trips[trip - 1];
            if (!isTest && !where().includes(`iteration ${number_} of ${visits[visit - 1][3] ? "at least " : ""}${visits[visit - 1][2]}`))
                say(name, `step ${i + 1} is in iteration ${number_} of ${visits[visit - 1][2]}, the player says "${where()}"`);
        }
    }
    // Each gap says what it leaves out.
    steps.forEach((step, i) => {
        if (step[1] >= 0 || !step[4].visit)
            return;
        go(i + 1);
        if (!read_all(told()).includes(`iterations ${step[4].from} to ${step[4].to} of`))
            say(name, `step ${i + 1} leaves out iterations ${step[4].from} to ${step[4].to}, the player says "${told()}"`);
    });
    // An iteration on, and back; past the loop.
    const own = steps.map((step, i) => i).filter((i) => steps[i][0] === warp);
    go(at + 1);
    shifted("ArrowRight");
    const next = own.find((i) => i > at && !chain(inside[i]).includes(inside[at]));
    if (next !== undefined && step_now() !== next + 1)
        say(name, `the next iteration begins at step ${next + 1}, not ${step_now()}`);
    shifted("ArrowLeft");
    if (next !== undefined && inside[next] && !(step_now() <= next))
        say(name, "it does not go back by an iteration");
    const outermost = trips[chain(inside[at]).at(-1) - 1][0];
    const is_in = (i) => chain(inside[i]).some((trip) => trips[trip - 1][0] === outermost) || (steps[i][1] < 0 && steps[i][4].visit === outermost);
    go(at + 1);
    for (let i = 0; i < 50 && is_in(step_now() - 1) && step_now() <= own.at(-1); i++)
        shifted("ArrowDown");
    const behind = own.find((i) => i > at && !is_in(i));
    if (behind !== undefined && step_now() !== behind + 1)
        say(name, `behind the loop is step ${behind + 1}, not ${step_now()}`);
    // The list: the loop is one item, with its iterations in it; where the player is, is marked.
    go(at + 1);
    const loop = items().find((item) => item.querySelector("details")), count = visits[outermost - 1][2];
    if (!loop || !read_all(loop.querySelector("summary").textContent).includes(`${count} iteration`))
        return say(name, `the list shows no loop of ${count} iterations`);
    const fold = loop.querySelector("details");
    if (!fold.querySelector("summary").hasAttribute("aria-current"))
        say(name, "the list does not mark the folded loop that the player is in");
    fold.open = true;
    fold.dispatchEvent(new Event("toggle"));
    const shown = new Set(own.flatMap((i) => chain(inside[i])).filter((trip) => trips[trip - 1][0] === outermost)).size +
        own.filter((i) => steps[i][1] < 0 && steps[i][4].visit === outermost).length;
    const rows = fold.querySelectorAll(":scope > div > ul > li");
    if (rows.length !== (shown > 100 ? 101 : shown))
        say(name, `the list unfolds to ${rows.length} items, ${shown} are true`);
    if (!fold.querySelector("ul [aria-current]"))
        say(name, "the list does not mark the iteration that the player is in");
}

// Each operation is a box at its place, with its times; the table's sums are the data's.
function check_pipeline(name, frame, data) {
    const part = [...frame.querySelectorAll("section")].find((one) => one.textContent.startsWith("Copies, kernels and the host"));
    const line = data.pipeline, words = data.pipeline_words || [];
    if (!part) {
        if (words.length || (line && line.spans.length > 1))
            say(name, "it does not show copies and kernels over time");
        return;
    }
    for (const text of words)
        if (!part.textContent.includes(text))
            say(name, `it does not say "${text}"`);
    if (!line)
        return;
    const boxes = [...part.querySelectorAll("svg rect")], count = line.spans.length + (line.host || []).length;
    if (boxes.length !== count)
        say(name, `${boxes.length} boxes for ${count} operations`);
    const end = Math.max(line.total_us, ...line.spans.map((span) => span[3]), ...(line.host || []).map((span) => span[2]));
    const near = (a, b) => Math.abs(a - b) < 0.06; // as they are written
    for (const [kind, , from, to] of line.spans)
        if (!boxes.some((box) => near(+box.getAttribute("x"), 130 + from / end * 760) &&
            near(+box.getAttribute("width"), Math.max(0.8, (to - from) / end * 760))))
            say(name, `no box for an operation of kind ${kind} from ${from} to ${to} us`);
    const rows = [...part.querySelector("table").tBodies[0].rows];
    [[1], [0, 3, 4], [2]].forEach((kinds, i) => {
        const own = line.spans.filter((span) => kinds.includes(span[0])), shown = rows[i].cells[3].textContent;
        const us = own.reduce((all, span) => all + span[3] - span[2], 0);
        if (read(rows[i].cells[1].textContent) !== own.length || !close(read(shown) * (shown.endsWith("ms") ? 1e3 : 1), us))
            say(name, `row ${i + 1} of the engines shows ${shown}, ${us} us is true`);
    });
}

// Nothing that is missing is shown as a word of the language.
function check_words(name, frame) {
    const found = frame.getElementById("page").innerText.match(/(^|\s)(null|undefined|NaN)(\s|$)/);
    if (found)
        say(name, `it says "${found[2]}"`);
}

// What went wrong is shown at the step in which it did.
function check_moment(name, frame, moment) {
    const player = frame.querySelector(".player"), mark = moment.profile.tape.marks[0];
    if (!player.querySelector("[aria-live]").textContent.startsWith(`Step ${mark.step} of `) || !player.textContent.includes(mark.what))
        say(name, "it does not begin where it goes wrong");
}

function check_kernel(name, frame, kernel) {
    check_lines(name, frame, kernel.profile);
    check_accesses(name, frame, kernel.profile);
    check_player(name, frame, kernel.profile);
    check_drawings(name, frame, 4);
    check_words(name, frame);
    check_width(name, frame);
    check_text(name, frame);
}

function check_content(name, inside, data) {
    if (data.moment)
        check_moment(name, inside, data.moment);
    check_pipeline(name, inside, data);
    data.kernels.forEach((kernel, i) => {
        const tabs = inside.querySelectorAll("[role=tab]");
        if (tabs.length)
            tabs[i].click();
        check_kernel(`${name}, kernel ${kernel.profile.kernel}`, inside, kernel);
    });
}
