// player.js - one block, step by step, forward and back: source line, lanes, registers, shared memory, barriers.

function playerSection(profile, sources) {
    if (!profile.tape || !profile.tape.steps.length)
        return null;
    return wide(6, section("One block, step by step", new Player(profile, sources).element));
}

// A small case of the lab in which something was found wrong: the same player, at the step in which it happens.
function momentSection(moment, sources) {
    return moment ? wide(6, section("Where it goes wrong", el("p", {}, moment.words), new Player(moment.profile, sources).element)) : null;
}

// Arrow keys step from the start: the player that was used last, else the first of the page. Whatever takes arrow keys for itself keeps them.
const PAGE_KEYS = ["ArrowLeft", "ArrowRight"];
function stepByKeys(event) {
    const players = [...document.querySelectorAll(".player")], taken = "input, select, textarea, [role=tab], .player, .scroll, pre";
    const player = players.find((one) => one === Player.last) || players[0];
    if (!player || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !PAGE_KEYS.includes(event.key) || event.target.closest(taken))
        return;
    const {top, bottom} = player.getBoundingClientRect();
    if (bottom < 100 || top > innerHeight - 100)
        player.scrollIntoView();
    player.dispatchEvent(new KeyboardEvent("keydown", {key: event.key, shiftKey: event.shiftKey}));
    event.preventDefault();
}

const JUMPS = {
    insn: ["instruction", () => true],
    line: ["line", (player, from, to) => player.lineOf(to) !== player.lineOf(from)],
    round: ["the same instruction again", (player, from, to) => player.steps[to][1] === player.steps[from][1]],
    memory: ["access to memory", (player, from, to) => player.steps[to].length > 8],
    barrier: ["barrier that opens", (player, from, to) => player.opens[to]],
};
const LOOP_JUMPS = {
    iteration: ["iteration of a loop", (player, from, direction) => player.rounds.nextIteration(from, direction)],
    loop: ["whole loop", (player, from, direction) => player.rounds.nextLoop(from, direction)],
};

// Words of four bytes that a lane moves: st.shared.v4.f32, ld.shared.u64.
function wordsOfAccess(text) {
    const parts = /\.(?:v([248]))?\.?[a-z]+(\d+)\s/.exec(text.replace(/^@\S+\s/, ""));
    return parts ? Math.max(1, (+parts[1] || 1) * +parts[2] / 32) : 1;
}

class Player {
    constructor(profile, sources) {
        this.profile = profile;
        this.tape = new Tape(profile);
        this.steps = profile.tape.steps;
        this.rounds = new Rounds(profile, this.tape, sources);
        this.sources = sources;
        const first = this.steps.findIndex((step) => step.length > 8); // an access to memory tells more than the first instruction
        this.position = profile.tape.marks && profile.tape.marks.length ? profile.tape.marks[0].step : Math.max(first, 0) + 1;
        this.lane = 0;
        this.jump = "insn";
        this.warp = "all";
        this.totals = new Array(profile.tape.warps).fill(0);
        this.steps.forEach((step) => this.totals[step[0]]++);
        this.findOpenings();
        this.build();
        this.element.player = this;
        this.show();
    }
    // The steps with which the last warp comes to a barrier.
    findOpenings() {
        const taken = this.totals.map(() => 0), passed = this.totals.map(() => 0);
        const least = () => Math.min(...passed.map((count, warp) => taken[warp] < this.totals[warp] || count ? count : 0));
        this.opens = this.steps.map(([warp, insn, , , gap]) => {
            const before = least();
            taken[warp]++;
            passed[warp] += insn < 0 ? gap.barriers : this.profile.code[insn].is_barrier ? 1 : 0;
            return least() > before;
        });
    }
    lineOf(index) {
        const insn = this.profile.code[this.tape.parts(index).insn];
        return insn.file + ":" + insn.line;
    }
    // The next position in a direction at which the chosen kind of thing happens, for the chosen warp.
    next(direction) {
        const from = Math.max(this.position - 1, 0), own = this.warp === "all" ? this.steps[from][0] : +this.warp;
        if (LOOP_JUMPS[this.jump])
            return this.nextInLoops(this.jump, direction);
        for (let to = from + direction; to >= 0 && to < this.steps.length; to += direction)
            if ((this.warp === "all" && this.jump === "insn") ||
                ((this.steps[to][0] === own || this.jump === "barrier") && JUMPS[this.jump][1](this, from, to)))
                return to + 1;
        return direction < 0 ? 1 : this.steps.length;
    }
    nextInLoops(jump, direction) {
        const from = this.position - 1, own = this.rounds.own[this.steps[from][0]];
        const to = LOOP_JUMPS[jump][1](this, from, direction);
        return (to === null ? own.at(direction < 0 ? 0 : -1) : to) + 1;
    }
    go(position) {
        Player.last = this.element;
        this.position = Math.min(Math.max(position, 1), this.steps.length);
        this.show();
    }
    play() {
        if (this.timer)
            clearInterval(this.timer);
        this.timer = this.timer ? null : setInterval(() => {
            if (this.position >= this.steps.length)
                this.play();
            else
                this.go(this.next(1));
        }, 300);
        this.button.textContent = this.timer ? "Stop" : "Play";
    }
    build() {
        const tape = this.profile.tape, button = (text, label, action) => el("button", {"aria-label": label, onclick: action}, text);
        this.slider = el("input", {type: "range", min: 1, max: this.steps.length, value: 1, "aria-label": "step",
            oninput: (event) => this.go(+event.target.value)});
        this.button = button("Play", "play or stop", () => this.play());
        this.told = el("p", {"aria-live": "polite"});
        this.marks = el("div", {}, (tape.marks || []).map((mark) => el("p", {}, el("button", {onclick: () => this.go(mark.step)},
            `to step ${mark.step}`), ` ${mark.kind.replaceAll("-", " ")} at ${fileName(mark.place)}` +
            (mark.other_place ? `, and ${fileName(mark.other_place)}` : "") + `: thread ${mark.thread} ${mark.what.replace(/[^ ]*\/(?=[^ /]+:\d+)/g, "")}`)));
        this.code = el("div");
        this.lanes = el("div", {class: "scroll"});
        this.registers = el("div");
        this.grids = el("div");
        this.shared = el("details", {class: "shared", ontoggle: () => this.showShared(this.tape.parts(this.position - 1))}, el("summary"), this.grids);
        this.shared.firstChild.addEventListener("click", () => { this.isFoldChosen = true; });
        this.list = new StepList(this.rounds, (position) => this.go(position));
        this.where = el("span");
        this.loops = el("div", {class: "bar"}, button("< iteration", "to the iteration before", () => this.go(this.nextInLoops("iteration", -1))),
            button("iteration >", "to the next iteration", () => this.go(this.nextInLoops("iteration", 1))),
            button("behind the loop >", "to the step behind the loop", () => this.go(this.nextInLoops("loop", 1))), this.where);
        const hasLoops = this.rounds.visits.length > 1;
        const shifted = hasLoops ? {ArrowRight: () => this.go(this.nextInLoops("iteration", 1)), ArrowLeft: () => this.go(this.nextInLoops("iteration", -1)),
            ArrowDown: () => this.go(this.nextInLoops("loop", 1)), ArrowUp: () => this.go(this.nextInLoops("loop", -1))} : {};
        const keys = {ArrowRight: () => this.go(this.next(1)), ArrowLeft: () => this.go(this.next(-1)), Home: () => this.go(1),
            End: () => this.go(this.steps.length)};
        this.element = el("div", {class: "player", tabindex: 0, "aria-label": "step player: arrow keys step, Home and End go to the ends" +
            (hasLoops ? "; with Shift, right and left go to the next iteration of a loop and back, down and up go past the loop" : ""),
            onkeydown: (event) => {
                const action = (event.shiftKey ? shifted : keys)[event.key];
                if (event.target.tagName !== "SELECT" && event.target !== this.slider && action) {
                    action();
                    event.preventDefault();
                }
            }},
            el("p", {class: "soft"}, "← and → step", hasLoops ? "; with Shift by iterations, and ↓ past the loop" : "", `. Block ${blockName(this.profile, tape.block)}: ${plural(this.steps.length, "step")} of ${plural(tape.warps, "warp")}`,
                tape.ends && this.steps.some((step) => step[1] < 0) ? `; of long loops the first ${tape.ends[0] > 1 ? number(tape.ends[0]) + " iterations" : "iteration"} and the last${tape.ends[1] > 1 ? " " + number(tape.ends[1]) : ""}` : "",
                tape.cut.some((one) => one) ? "; warps go on where the tape ends." : ".", " On a GPU the order between warps is free but for barriers.",
                hasLoops ? " An iteration is one round of the loop as it was compiled: where the compiler unrolled it, several of yours." : ""),
            el("div", {class: "bar"}, button("|<", "to the first step", () => this.go(1)), button("<", "back", () => this.go(this.next(-1))),
                button(">", "forward", () => this.go(this.next(1))), button(">|", "to the end", () => this.go(this.steps.length)), this.button,
                choice("step by", Object.entries(hasLoops ? {...JUMPS, ...LOOP_JUMPS} : JUMPS).map(([key, [text]]) => [key, text]), this.jump, (value) => { this.jump = value; }),
                choice("warp", [["all", "all"], ...this.totals.map((_, warp) => [warp, warp])], this.warp, (value) => {
                    this.warp = value;
                    const first = value === "all" ? -1 : this.steps.findIndex((step) => step[0] === +value);
                    if (first >= 0 && this.steps[this.position - 1][0] !== +value)
                        this.go(first + 1);
                })),
            this.marks, this.slider, this.told, hasLoops ? this.loops : null, el("div", {class: "two"}, el("div", {}, this.code), this.lanes),
            tape.shared_bytes ? this.shared : null, this.registers, this.list.element);
    }
    show() {
        const step = this.tape.parts(this.position - 1), insn = this.profile.code[step.insn];
        this.state = this.tape.at(this.position);
        this.slider.value = this.position;
        const lanes = [...Array(32).keys()].filter((lane) => step.mask >>> lane & 1);
        this.where.textContent = this.rounds.text(this.position - 1) || "In no loop.";
        this.list.show(this.position);
        this.told.textContent = `Step ${this.position} of ${this.steps.length}: warp ${step.warp}, line ${insn.line}, ` + (step.gap ?
            `${this.rounds.gapText(this.position - 1)}; registers and shared memory are as they left them.` :
            `${lanes.length === 32 ? "all lanes" : lanes.length ? "lanes " + ranges(lanes) : "no lane"}: ${insn.text}`);
        this.showCode(insn);
        this.showLanes(step);
        this.showRegisters(step);
        this.showShared(step);
    }
    showCode(insn) {
        const path = this.profile.files[insn.file] || "", text = this.sources[path] ?? this.sources[fileName(path)];
        const lines = text ? text.split("\n") : [], from = Math.max(insn.line - 4, 1), to = Math.min(insn.line + 3, lines.length);
        const rows = [];
        for (let line = from; line <= to; line++)
            rows.push(el("tr", {class: line === insn.line ? "now" : null}, el("td", {}, line), el("td", {class: "code"}, lines[line - 1])));
        this.code.replaceChildren(el("div", {class: "scroll"}, el("table", {}, rows)), el("pre", {}, insn.text));
    }
    statusOf(warp, number_) {
        const insn = this.profile.code[warp.insn], isLast = warp.count === this.totals[number_];
        if (!warp.count)
            return "not begun";
        if (isLast)
            return this.profile.tape.cut[number_] ? "tape ends" : "done";
        if (!insn || !insn.is_barrier)
            return "runs";
        const isOpen = this.state.warps.every((other, i) => other.barriers >= warp.barriers ||
            (other.count === this.totals[i] && !this.profile.tape.cut[i]));
        return isOpen ? "ready" : "at a barrier";
    }
    showLanes(step) {
        const most = 8, from = Math.max(0, Math.min(step.warp - most / 2, this.totals.length - most));
        const rest = this.state.warps.map((warp, i) => [i, this.statusOf(warp, i)]).filter(([i]) => i < from || i >= from + most);
        const kinds = [...new Set(rest.map(([, status]) => status))];
        const rows = this.state.warps.flatMap((warp, number_) => {
            if (number_ < from || number_ >= from + most)
                return [];
            const mask = number_ === step.warp && !step.gap ? step.mask : warp.active, status = this.statusOf(warp, number_);
            return [el("span", {}, (number_ === step.warp ? "▸ " : "") + "warp " + number_),
                ...[...Array(32).keys()].map((lane) => el("i", {title: `lane ${lane}`,
                    class: status === "done" || !warp.count ? "gone" : mask >>> lane & 1 ? "on" : null})),
                el("span", {class: "soft"}, status)];
        });
        fill(this.lanes, el("h3", {}, "Active lanes"), el("div", {class: "lanes", role: "img",
            "aria-label": this.state.warps.map((warp, i) => `warp ${i} ${this.statusOf(warp, i)}`).join(", ")}, rows), rest.length ? el("p", {class: "soft"}, `The other ${rest.length} warps: ` +
            kinds.map((kind) => `${rest.filter(([, status]) => status === kind).length} ${kind}`).join(", ") + ".") : null);
    }
    showRegisters(step) {
        const warp = this.state.warps[step.warp], most = 14;
        const slots = [...warp.slots.values()].sort((a, b) => b.step - a.step).slice(0, most);
        const text = (slot) => valueText(slot.lanes[this.lane], slot.kind, slot.bits);
        const others = (slot) => {
            const values = slot.lanes.filter((value) => value !== undefined);
            const isSame = values.every((value) => value === values[0]);
            return isSame ? "all lanes alike" : [0, 1, 2, 31].map((lane) => valueText(slot.lanes[lane], slot.kind, slot.bits) || "–").join(", ");
        };
        const preds = [...warp.preds.entries()].sort((a, b) => b[1].step - a[1].step).slice(0, 3)
            .map(([name, pred]) => [`predicate ${name.replace(/^.*:/, "")}`, "", pred.lanes >>> this.lane & 1 ? "true" : "false",
                pred.lanes ? `true in lanes ${ranges([...Array(32).keys()].filter((lane) => pred.lanes >>> lane & 1))}` : "true in no lane", ""]);
        this.registers.replaceChildren(el("h3", {}, `Registers of warp ${step.warp}, those written last first`),
            el("div", {class: "bar"}, choice("lane", [...Array(32).keys()].map((lane) => [lane, lane]), this.lane,
                (value) => { this.lane = +value; this.show(); })),
            el("p", {class: "soft"}, "The compiler keeps no names of variables. Parameters, built-ins, arrays and counters of loops are what the PTX still tells; " +
                "the line that wrote a register last tells the rest."),
            table(["register", "what is known of it", `lane ${this.lane}`, "lanes 0, 1, 2, 31", "written by line"],
                [...slots.map((slot) => el("tr", {class: slot.step === this.position - 1 ? "now" : null},
                    el("td", {class: "text"}, slot.name), el("td", {class: "text"}, [slot.alias, slot.note].filter((one) => one).join("; ")),
                    el("td", {}, text(slot)), el("td", {class: "text soft"}, others(slot)),
                    el("td", {class: "code"}, this.lineText(slot.insn)))), ...preds], ["text", "text", null, "text soft", "code"]));
    }
    lineText(insn) {
        return insn.line ? `${insn.line}  ${sourceLine(this.profile, this.sources, insn.file, insn.line)}` : "";
    }
    // The arrays of the block; what none of them covers, as memory whose size the launch gives, has no name.
    arrays() {
        const {arrays, shared_bytes: all} = this.profile.tape, found = arrays.filter((one) => one.bytes).sort((a, b) => a.at - b.at);
        const rest = Math.max(0, ...found.map((one) => one.at + one.bytes)), unsized = arrays.filter((one) => !one.bytes).map((one) => one.name).join(", ");
        return rest < all ? [...found, {name: unsized || "shared memory", at: rest, bytes: all - rest}] : found;
    }
    // Folded until a step has written to it, unless somebody has folded or opened it.
    showShared(step) {
        const tape = this.profile.tape, touched = new Map(), insn = this.profile.code[step.insn];
        if (!tape.shared_bytes)
            return;
        const addresses = !step.gap && /\.shared\b/.test(insn.text) ? this.tape.addresses(this.position - 1) : null;
        const isStore = /\b(st|atom|red)\./.test(insn.text), written = this.state.shared.size;
        (addresses || []).forEach((at, lane) => {
            for (let i = 0; at != null && i < wordsOfAccess(insn.text); i++)
                touched.set(Math.floor(Number(at & 0xffffffn) / 4) + i, lane);
        });
        if (!this.isFoldChosen)
            this.shared.open = written > 0 || touched.size > 0;
        fill(this.shared.firstChild, `Shared memory: ${this.arrays().map((one) => `${one.name} (${bytes(one.bytes)})`).join(", ")}; ` +
            (written ? `${plural(written, "word")} written` : "nothing written yet"));
        if (!this.shared.open)
            return;
        const fresh = [], grids = [];
        let room = 2048;
        for (const one of this.arrays()) {
            const words = Math.min(Math.ceil(one.bytes / 4), room), first = Math.floor(one.at / 4);
            room -= words;
            if (words)
                grids.push(el("div", {}, el("h4", {}, `${one.name}, ${bytes(one.bytes)}` + (4 * words < one.bytes ? `; the first ${bytes(4 * words)}` : "")),
                    el("div", {class: "scroll"}, this.wordGrid(one, first, words, touched, isStore, fresh))));
        }
        fill(this.grids, el("p", {class: "soft"}, "Each row is the 32 banks. Dark: written; orange: by this step" + (fresh.length ? `, ${plural(fresh.length, "word")}` : "") + "; outlined: read by it."),
            touched.size ? el("p", {}, `${isStore ? "Writes" : "Reads"}: ` + [...touched].slice(0, 6).map(([word, lane]) => {
                const found = this.state.shared.get(word);
                return `lane ${lane}: ${this.nameOf(word)}${found ? " = " + valueText(BigInt(found.value), this.kindOf(insn), 32) : ""}`;
            }).join("; ") + (touched.size > 6 ? " …" : "")) : null, el("div", {class: "arrays"}, grids));
    }
    // An array begins at the bank that it begins at.
    wordGrid(array, first, words, touched, isStore, fresh) {
        const cells = Array.from({length: first % 32}, () => el("b"));
        let count = 0;
        for (let word = first; word < first + words; word++) {
            const found = this.state.shared.get(word);
            const isFresh = (found && found.isShown && found.step === this.position - 1) || (isStore && touched.has(word));
            if (isFresh)
                fresh.push(word);
            count += found ? 1 : 0;
            const by = found && found.isShown ? this.tape.writer(found.step, word) : -1;
            const own = found && found.isShown ? `line ${this.profile.code[this.steps[found.step][1]].line}` : "in a step that is not shown";
            cells.push(el("i", {class: [isFresh ? "fresh" : found ? "written" : "", !isStore && touched.has(word) ? "read" : ""].join(" ").trim() || null,
                title: `${this.nameOf(word)}, bank ${word % 32}` + (found ? `: 0x${found.value.toString(16)}, as a float ` +
                    valueText(BigInt(found.value), "f", 32) + `; by warp ${found.warp}${by >= 0 ? ", lane " + by : ""}, ${own}` : ": not written")}));
        }
        return el("div", {class: "words", role: "img", "aria-label": `${array.name}: ${count} of ${plural(words, "word")} written`}, cells);
    }
    // How words of this step are to be read.
    kindOf(insn) {
        return /\.f32\b/.test(insn.text) || insn.kinds.includes("f") ? "f" : "u";
    }
    nameOf(word) {
        const found = this.arrays().find((one) => word * 4 >= one.at && word * 4 < one.at + one.bytes);
        return found ? `${found.name} + ${word * 4 - found.at}` : `byte ${word * 4}`;
    }
}
