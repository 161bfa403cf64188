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
        if (!close(read(row.cells[4].title), counters.warp_instructions) || !close(read(cells[5]), lanes))
            say(name, `line ${line.line} shows ${row.cells[4].title} instructions and ${cells[5]} lanes`);
        check_stalls(name, row.cells[3], line, profile);
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

// What warps wait for at a line: a part of the bar for each reason, as long as its part of the line's time.
function check_stalls(name, cell, line, profile) {
    const bar = cell.querySelector(".stalls"), share = line.spent.reduce((a, b) => a + b, 0);
    if (!share)
        return;
    if (!bar)
        return say(name, `line ${line.line} does not show what warps wait for`);
    const order = line.spent.map((part, i) => [part, i]).filter(([part]) => part > 0).sort((a, b) => b[0] - a[0]);
    order.forEach(([part, i], at) => {
        const drawn = bar.children[at];
        if (!drawn || !close(parseFloat(drawn.style.width), 100 * part / share) || !drawn.getAttribute("style").includes(`var(--k${i})`))
            say(name, `line ${line.line}: "${profile.spent_on[i]}" is not drawn as ${(100 * part / share).toFixed(1)} % of it`);
        if (part >= 0.0005 && !bar.getAttribute("aria-label").includes(profile.spent_on[i]))
            say(name, `line ${line.line} does not say "${profile.spent_on[i]}"`);
    });
}

// Reasons of all lines add up to the kernel's; so does what has no line.
function check_stall_sums(name, profile) {
    profile.spent.forEach((part, i) => {
        const all = profile.lines.reduce((sum, line) => sum + line.spent[i], 0);
        if (Math.abs(all - part) > 1e-5 * (profile.lines.length + 1)) // as they are rounded
            say(name, `"${profile.spent_on[i]}" is ${part} of the time, ${all} of all lines'`);
    });
}

function part_of(frame, title) {
    return [...frame.querySelectorAll("section")].find((one) => one.querySelector("h2") && one.querySelector("h2").textContent === title);
}

const whole = (text) => text === "" ? null : +text.replaceAll(",", "");

// The chart's numbers are the counters', and fit each other.
function check_memory(name, frame, profile) {
    const {counters, traffic} = profile, part = part_of(frame, "Memory chart"), count = (counter) => counters[counter] || 0;
    if (!part)
        return count("memory_instructions") && profile.accesses.length ? say(name, "it has no memory chart") : null;
    const [edges, caches] = [...part.querySelectorAll("table")].map((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)));
    const find = (between, way) => edges.find((row) => row[0] === between && row[1] === way);
    const expect = (between, way, requests, parts) => {
        const row = find(between, way);
        if (parts ? !row || (requests !== null && whole(row[2]) !== requests) || whole(row[3]) !== parts : row && whole(row[3]))
            say(name, `memory chart: ${between}, ${way} is ${row}, not ${requests} requests of ${parts}`);
    };
    for (const way of ["load", "store", "atomic"]) {
        expect("global and L1", way, count(`global_${way}_requests`), count(`global_${way}_sectors`));
        expect("shared and shared memory", way, count(`shared_${way}_requests`), count(`shared_${way}_wavefronts`));
        if (way !== "atomic")
            expect("local and L1", way, count(`local_${way}_requests`), count(`local_${way}_sectors`));
    }
    expect("texture and L1", "load", count("texture_requests"), count("texture_sectors"));
    expect("constant and constant cache", "load", count("const_requests"), count("const_words"));
    expect("L2 and DRAM", "load", null, count("dram_read_bytes") / 32);
    expect("L2 and DRAM", "store", null, count("dram_write_bytes") / 32);
    for (const row of edges)
        if (row[4] === "sectors" && whole(row[5]) !== 32 * whole(row[3]))
            say(name, `memory chart: ${row[3]} sectors are not ${row[5]} bytes`);
    const sectors = (way) => whole((find("L1 and L2", way) || [0, 0, 0, "0"])[3]), bytes = (way) => whole((find("L2 and DRAM", way) || [0, 0, 0, 0, 0, "0"])[5]);
    // What L1 reads is what the timing model's L1 misses; stores are counted.
    if (sectors("load") !== profile.traffic.l1_misses || sectors("store") > count("l2_sectors"))
        say(name, `memory chart: ${sectors("load")} and ${sectors("store")} sectors between L1 and L2 are not ${profile.traffic.l1_misses}, or more than ${count("l2_sectors")}`);
    if (bytes("load") + bytes("store") !== profile.roofline.bytes)
        say(name, `memory chart: ${bytes("load")} and ${bytes("store")} bytes of DRAM are not the roofline's ${profile.roofline.bytes}`);
    for (const row of caches) {
        const [all, hits, misses] = row.slice(1, 4).map(whole);
        if (hits + misses !== all || !close(read(row[4]), 100 * hits / all))
            say(name, `memory chart: ${row}: hits and misses are not all`);
        if (!part.querySelector("svg").textContent.includes(`hit rate ${row[4]}`))
            say(name, `memory chart: it does not draw the hit rate ${row[4]}`);
    }
    if (traffic.l1_misses > traffic.l2_reads || traffic.l2_misses > traffic.dram_reads)
        say(name, "memory chart: more misses than sectors that come from below");
}

function check_occupancy(name, frame, profile) {
    const part = part_of(frame, "Occupancy"), own = profile.occupancy, told = part && part.textContent.replaceAll(",", "");
    if (!part)
        return say(name, "it has no table of the occupancy");
    const rows = [...part.querySelector("table").tBodies[0].rows];
    own.limits.forEach((limit, i) => {
        const cells = [...rows[i].cells].map((cell) => cell.textContent);
        if (!cells[0].endsWith(limit.name) || (limit.needs || limit.name !== "registers" ? read(cells[1]) !== limit.needs : cells[1] !== "not known") || whole(cells[2]) !== limit.has || (limit.blocks !== null && read(cells[3]) !== limit.blocks) ||
            rows[i].hasAttribute("aria-current") !== (limit.name === own.limiter))
            say(name, `occupancy: ${cells} is not ${JSON.stringify(limit)}`);
    });
    const least = Math.min(...own.limits.map((limit) => limit.blocks ?? Infinity));
    if (least !== own.blocks || own.limits.find((limit) => limit.name === own.limiter).blocks !== least || profile.counters.blocks_per_sm !== own.blocks ||
        !told.includes(`${own.warps} of ${own.max_warps} warps`) || !(own.active_warps <= own.warps + 0.01))
        say(name, `occupancy: ${JSON.stringify(own)} does not fit itself`);
    for (const change of own.changes)
        if (change.warps <= own.warps || !told.includes(`${change.warps} warps`))
            say(name, `occupancy: ${JSON.stringify(change)} is no change for the better, or is not told`);
    if (own.warps < own.max_warps && !own.changes.length && !told.includes("No other block size"))
        say(name, "occupancy: it does not say what would change it");
}

// No word lies on another one.
function check_labels(name, frame) {
    for (const drawing of frame.querySelectorAll("svg")) {
        const boxes = [...drawing.querySelectorAll("text")].filter((text) => !text.classList.contains("tiny") && !text.hasAttribute("transform") && text.checkVisibility())
            .map((text) => [text.getBoundingClientRect(), text.textContent]);
        boxes.forEach(([a, words], i) => boxes.slice(i + 1).forEach(([b, others]) => {
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
                say(name, `"${words}" and "${others}" lie on each other in "${drawing.querySelector("title").textContent}"`);
        }));
    }
}

// With a grid, and a name at each point.
function check_roofline(name, frame) {
    const part = part_of(frame, "Roofline");
    if (!part)
        return;
    if (part.querySelectorAll(".grid path").length < 20)
        say(name, "its roofline has no grid");
    const texts = [...part.querySelectorAll("svg text")].map((one) => one.textContent);
    for (const row of part.querySelector("table").tBodies[0].rows)
        if (!texts.includes(row.cells[0].textContent))
            say(name, `its roofline does not name ${row.cells[0].textContent}`);
}

// Times in microseconds, rates in GB/s, and what moves in one unit all over the page. What the terminal says is its own.
function check_units(name, frame) {
    const copy = frame.getElementById("page").cloneNode(true);
    copy.querySelectorAll("pre, .code, code, svg title, svg desc").forEach((one) => one.remove());
    const text = [...copy.querySelectorAll("p, td, th, li, text, dd, h3, h4, summary, figcaption, button, span")].map((one) => one.textContent).join("\n");
    const found = (pattern) => [...new Set([...text.matchAll(pattern)].map((one) => one[1]))];
    const times = found(/\d (ms|us|ns|s)\b/g), rates = found(/\d ([KMT]B\/s|bytes\/s)/g), amounts = found(/\d ([KMGT]B)\b(?!\/s)/g);
    if (times.length || rates.length || amounts.length > 1)
        say(name, `it has more than one unit for a quantity: ${[...times, ...rates, ...amounts]}`);
}

const own_words = (rule) => rule.words.replace(/(\d) us\b/g, "$1 µs").replace(/^Line \d+: ./, (start) => start.at(-1).toUpperCase());

// What limits, which line, what is gained, what comes next: above everything.
function check_headline(name, frame, kernel, data) {
    const box = frame.querySelector(".headline"), profile = kernel.profile, rules = [...(profile.rules || [])].sort((a, b) => b.gain - a.gain);
    if (!box)
        return say(name, "it has no headline");
    const top = (one) => one.getBoundingClientRect().top, words = [...box.querySelectorAll("dt")].map((one) => one.textContent), told = box.textContent;
    const labels = rules.length ? "Limited by,To fix,Fixing it gains,Next step" : "Limited by,Most expensive line,Without the limit,Next step";
    if (words.join() !== labels || !told.includes(profile.limited_by))
        say(name, `its headline says "${told}"`);
    if ([...frame.querySelectorAll("section")].some((one) => one !== box && top(one) <= top(box)))
        say(name, "something stands above the headline");
    const link = box.querySelector("dd a"), expensive = profile.lines.filter((one) => one.line && profile.files[one.file]);
    const ofRule = rules.length && !profile.lines.some((one) => one.line && one.line === rules[0].line && one.file === rules[0].file);
    if (ofRule ? link : expensive.length && (!link || !frame.querySelector(link.getAttribute("href"))))
        say(name, "its headline leads to no line");
    const isWrong = (data.stage && data.stage.wrong) || (data.findings || []).length;
    if (rules.length && !isWrong && !told.includes(own_words(rules[0])))
        say(name, "its headline does not have the rule with the largest gain");
    const listed = [...frame.querySelectorAll(".rules > li")].map((one) => one.textContent);
    if (listed.length !== rules.length || rules.some((rule, i) => !listed[i].includes(own_words(rule)) || !listed[i].startsWith(`${rule.gain.toFixed(2)}x`)))
        say(name, "its rules are not sorted by gain");
}

// A menu that stays, with a link to each section; two columns where there is room; code first where there is not.
function check_layout(name, frame) {
    const menu = frame.querySelector("nav.menu"), style = menu && frame.defaultView.getComputedStyle(menu), heads = [...frame.querySelectorAll(".sections > section > h2")];
    if (!menu || style.position !== "sticky" || style.top !== "0px")
        return say(name, "it has no menu that stays");
    if (heads.some((head) => !menu.querySelector(`a[href="#${head.parentElement.id}"]`)))
        say(name, "its menu lacks a section");
    const boxes = heads.map((head) => head.parentElement.getBoundingClientRect());
    const isBeside = boxes.some((a) => boxes.some((b) => b.left >= a.right && Math.abs(a.top - b.top) < 2)), isWide = frame.documentElement.clientWidth >= 1000;
    if (isBeside !== isWide)
        say(name, isWide ? "it has one column only" : "it has two columns on a phone");
    const first = heads.find((head) => !["What the checker found", "Where it goes wrong"].includes(head.textContent));
    const code = first.parentElement.querySelector("td.source");
    if (first.textContent !== "Your lines" || !code || code.getBoundingClientRect().left > 0.5 * frame.documentElement.clientWidth)
        say(name, "code does not come first");
}

// What was found stands above all kernels, with its place; where it can be played, it is.
function check_findings(name, frame, data) {
    const shown = [...frame.querySelectorAll(".findings > li")], found = data.findings || [];
    if (shown.length !== found.length || found.some((one, i) => !shown[i].textContent.includes(one.title) || !shown[i].textContent.includes(one.place.replace(/^.*\//, ""))))
        say(name, "it does not list what was found");
    const lines = part_of(frame, "Your lines");
    if (shown.length && lines && shown.at(-1).getBoundingClientRect().top > lines.getBoundingClientRect().top)
        say(name, "what was found does not stand at the top");
    found.forEach((one, i) => {
        const mark = data.kernels.flatMap((kernel) => (kernel.profile.tape || {}).marks || []).find((other) => other.kind === one.kind && other.place === one.place);
        const button = frame.querySelectorAll(".findings > li")[i].querySelector("button");
        if (!mark)
            return;
        if (button)
            button.click();
        if (!button || !frame.querySelector(".player [aria-live]").textContent.startsWith(`Step ${mark.step} of `))
            say(name, `"${one.title}" cannot be played`);
    });
}

// Without a click: arrow keys that nobody else takes step the first player.
function check_keys(name, frame) {
    const player = frame.querySelector(".player"), step = () => +player.querySelector("[aria-live]").textContent.match(/^Step (\d+)/)[1];
    const key = (which) => frame.body.dispatchEvent(new frame.defaultView.KeyboardEvent("keydown", {key: which, bubbles: true, cancelable: true}));
    if (!player)
        return;
    const before = step();
    key("ArrowRight");
    const after = step();
    key("ArrowLeft");
    if (after <= before || step() >= after)
        say(name, `arrow keys do not step from the start: ${before}, ${after}, ${step()}`);
}

// Shared memory is folded until a step has written to it, and then shows its arrays by name.
function check_shared(name, player, profile, go) {
    const {tape} = profile, shared = player.querySelector("details.shared"), names = tape.arrays.filter((one) => one.bytes).map((one) => one.name);
    if (!tape.shared_bytes)
        return shared && say(name, "it shows shared memory that a block does not have");
    go(1);
    const is_touched = (step) => step.length > 7 && step[7] && step[7].length;
    if (!shared || shared.open || !shared.textContent.includes("nothing written yet"))
        say(name, "shared memory is not folded before it is written");
    for (const one of names)
        if (!shared.querySelector("summary").textContent.includes(one))
            say(name, `shared memory does not name ${one}`);
    const first = tape.steps.findIndex((step) => step[1] >= 0 && is_touched(step));
    if (first < 0)
        return;
    go(first + 1);
    const heads = [...shared.querySelectorAll("h4")].map((one) => one.textContent);
    if (!shared.open || !shared.querySelector("i.fresh, i.written") || (names.length && !heads.some((one) => names.some((name_) => one.startsWith(name_)))))
        say(name, `shared memory does not open when step ${first + 1} writes to it`);
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
    check_shared(name, player, profile, go);
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
        if (!part.textContent.includes(text.replace(/(\d) us\b/g, "$1 µs")))
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
        if (read(rows[i].cells[1].textContent) !== own.length || !close(read(shown), us))
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

function check_kernel(name, frame, kernel, data) {
    check_headline(name, frame, kernel, data);
    check_layout(name, frame);
    check_labels(name, frame);
    check_units(name, frame);
    check_stall_sums(name, kernel.profile);
    check_memory(name, frame, kernel.profile);
    check_occupancy(name, frame, kernel.profile);
    check_roofline(name, frame);
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
    check_findings(name, inside, data);
    check_keys(name, inside);
    check_pipeline(name, inside, data);
    data.kernels.forEach((kernel, i) => {
        const tabs = inside.querySelectorAll("[role=tab]");
        if (tabs.length)
            tabs[i].click();
        check_kernel(`${name}, kernel ${kernel.profile.kernel}`, inside, kernel, data);
    });
}
