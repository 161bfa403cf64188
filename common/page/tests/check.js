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
        const insn = profile.code[steps[step - 1][1]];
        if (!told().startsWith(`Step ${step} of ${steps.length}: warp ${steps[step - 1][0]}, line ${insn.line},`) || !told().endsWith(insn.text))
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
    check_width(name, frame);
    check_text(name, frame);
}

function check_content(name, inside, data) {
    if (data.moment)
        check_moment(name, inside, data.moment);
    data.kernels.forEach((kernel, i) => {
        const tabs = inside.querySelectorAll("[role=tab]");
        if (tabs.length)
            tabs[i].click();
        check_kernel(`${name}, kernel ${kernel.profile.kernel}`, inside, kernel);
    });
}
