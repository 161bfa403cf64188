// loops.js - the rounds of loops in a tape: which round of which loop a step is in, where the next one begins, and a warp's steps as
// a list with loops folded. Rounds are counted where they were executed (common/vgpu/core/tape_trips.c), so that their numbers are
// right where some are not shown.

class Rounds {
    constructor(profile, tape, sources = {}) {
        this.profile = profile;
        this.tape = tape;
        const {visits = [], trips = [], in: inside = []} = profile.tape;
        this.visits = [null, ...visits.map(([loop, outer, count, isOpen]) => ({loop, outer, count, isOpen}))];
        this.trips = [null, ...trips.map(([visit, number_, isTest]) => ({visit, number: number_, isTest}))];
        this.inside = inside;
        this.sources = sources;
        this.chains = new Map();
        this.own = Array.from({length: profile.tape.warps}, () => []); // the steps of each warp
        tape.steps.forEach((step, index) => this.own[step[0]].push(index));
    }
    loopName(visit) {
        const [, , line] = this.profile.loops[this.visits[visit].loop - 1] || [];
        return line ? `loop of line ${line}` : "loop";
    }
    // The program's text of the loop's line; "": unknown.
    loopSource(visit) {
        const [, file, line] = this.profile.loops[this.visits[visit].loop - 1] || [];
        return sourceLine(this.profile, this.sources, file, line);
    }
    countOf(visit) {
        return (this.visits[visit].isOpen ? "at least " : "") + number(this.visits[visit].count);
    }
    // The rounds that a step is in, the outermost first: {visit, trip}; of a gap the last has no trip.
    chain(index) {
        const gap = this.tape.steps[index][1] < 0 ? this.tape.steps[index][4] : null;
        const key = gap && gap.visit ? -gap.visit : this.inside[index] || 0;
        if (!this.chains.has(key)) {
            const found = [];
            let trip = key < 0 ? this.visits[-key].outer : key;
            for (; trip; trip = this.visits[this.trips[trip].visit].outer)
                found.unshift({visit: this.trips[trip].visit, trip});
            if (key < 0)
                found.push({visit: -key, trip: 0});
            this.chains.set(key, found);
        }
        return this.chains.get(key);
    }
    isInTrip(index, trip) {
        return this.chain(index).some((one) => one.trip === trip);
    }
    isInVisit(index, visit) {
        return this.chain(index).some((one) => one.visit === visit);
    }
    gapText(index) {
        const gap = this.tape.steps[index][4];
        return gap.visit ? `iterations ${number(gap.from)} to ${number(gap.to)} of ${this.countOf(gap.visit)} are not shown, ${plural(gap.steps, "step")}`
            : `${plural(gap.steps, "step")} are not shown`;
    }
    tripText(trip) {
        const {visit, number: number_, isTest} = this.trips[trip];
        return isTest ? "the test that ends it" : `iteration ${number(number_)} of ${this.countOf(visit)}`;
    }
    // "In the loop of line 3: iteration 3 of 64; in it, the loop of line 5: iteration 1 of 4"
    text(index) {
        const chain = this.chain(index);
        return chain.map(({visit, trip}, i) => (i ? "in it, the " : "In the ") + `${this.loopName(visit)}: ` +
            (trip ? this.tripText(trip) : this.gapText(index))).join("; ");
    }
    // Where a round begins or ends, from a step on; null: there is no further one.
    nextIteration(from, direction) {
        const own = this.own[this.tape.steps[from][0]], at = own.indexOf(from), last = this.chain(from).at(-1);
        const isSame = (index, one) => one.trip ? this.isInTrip(index, one.trip) : index === from;
        if (direction > 0)
            return own.find((index, i) => i > at && (last ? !isSame(index, last) : this.chain(index).length)) ?? null;
        const first = (index) => { // of the round that a step is in
            const one = this.chain(index).at(-1);
            let i = own.indexOf(index);
            while (one && i > 0 && isSame(own[i - 1], one))
                i--;
            return own[i];
        };
        if (last && first(from) < from)
            return first(from);
        const before = own.findLast((index, i) => i < at && (last || this.chain(index).length));
        return before === undefined ? null : first(before);
    }
    // Over a loop that begins next, or out of the one around; else to the next loop.
    nextLoop(from, direction) {
        const own = this.own[this.tape.steps[from][0]], at = own.indexOf(from), chain = this.chain(from), last = chain.at(-1);
        const beside = own[at + direction];
        const entered = beside !== undefined && this.chain(beside).find((one) => !this.isInVisit(from, one.visit));
        const visit = entered ? entered.visit : last ? last.visit : 0;
        const isWanted = (index) => visit ? !this.isInVisit(index, visit) : this.chain(index).length > 0;
        const found = direction > 0 ? own.find((index, i) => i > at && isWanted(index)) : own.findLast((index, i) => i < at && isWanted(index));
        return found ?? null;
    }
    // Steps of a warp as items: a visit of a loop, or steps of one line in a row. depth: so many loops are around them.
    parts(steps, depth) {
        const found = [];
        for (let i = 0; i < steps.length;) {
            const one = this.chain(steps[i])[depth], line = this.lineOf(steps[i]);
            const isSame = (index) => {
                const other = this.chain(index)[depth];
                return one ? other && other.visit === one.visit : !other && this.lineOf(index) === line;
            };
            let end = i + 1;
            while (end < steps.length && isSame(steps[end]))
                end++;
            const own = steps.slice(i, end);
            found.push(one ? {kind: "visit", visit: one.visit, own, depth} : {kind: "line", line, own, depth});
            i = end;
        }
        return found;
    }
    // What a visit unfolds to: its rounds, and gaps between them.
    iterations(item) {
        const found = [];
        for (let i = 0; i < item.own.length;) {
            const trip = this.chain(item.own[i])[item.depth].trip;
            let end = i + 1;
            while (trip && end < item.own.length && this.chain(item.own[end])[item.depth].trip === trip)
                end++;
            found.push({kind: trip ? "trip" : "gap", trip, own: item.own.slice(i, end), depth: item.depth});
            i = end;
        }
        return found;
    }
    lineOf(index) {
        return this.profile.code[this.tape.parts(index).insn].line;
    }
    sourceOf(index) {
        const insn = this.profile.code[this.tape.parts(index).insn];
        return sourceLine(this.profile, this.sources, insn.file, insn.line);
    }
}

// The list of a warp's steps: a loop is one item until it is unfolded.
class StepList {
    constructor(rounds, go) {
        this.rounds = rounds;
        this.go = go;
        this.warp = -1;
        this.place = el("div", {class: "steps"});
        this.head = el("summary", {}, "All steps of the warp, loops folded");
        this.element = el("details", {ontoggle: () => this.show(this.position)}, this.head, this.place);
    }
    button(text, item) {
        const button = el("button", {class: "line", onclick: () => this.go(item.own[0] + 1)}, text);
        this.items.push({from: item.own[0], to: item.own.at(-1), own: new Set(item.own), element: button});
        return button;
    }
    source(text) {
        return text ? el("span", {class: "code soft"}, " " + text) : null;
    }
    // A heading that unfolds to more.
    fold(text, item, more) {
        const place = el("div"), head = el("summary", {}, text);
        let isFilled = false;
        const element = el("details", {ontoggle: () => {
            if (element.open && !isFilled)
                place.append(this.list(more()));
            isFilled = isFilled || element.open;
            this.mark();
        }}, head, place);
        this.items.push({from: item.own[0], to: item.own.at(-1), own: new Set(item.own), element: head});
        return element;
    }
    item(item) {
        const rounds = this.rounds, range = plural(item.own.length, "step");
        if (item.kind === "line")
            return [this.button(`line ${item.line}: ${range}`, item), this.source(rounds.sourceOf(item.own[0]))];
        if (item.kind === "gap")
            return this.button(rounds.gapText(item.own[0]), item);
        if (item.kind === "trip")
            return this.fold(`${rounds.tripText(item.trip)}: ${range}`, item, () => rounds.parts(item.own, item.depth + 1));
        const source = this.source(rounds.loopSource(item.visit));
        return this.fold([`${rounds.loopName(item.visit)}: ${plural(rounds.visits[item.visit].count, "iteration")}` +
            `${rounds.visits[item.visit].isOpen ? " or more" : ""}, ${range} shown`, source], item, () => rounds.iterations(item));
    }
    list(items) {
        const most = 100, list = el("ul", {}, items.slice(0, most).map((item) => el("li", {}, this.item(item))));
        if (items.length > most) {
            const more = el("li", {}, el("button", {onclick: () => {
                more.replaceWith(...this.list(items.slice(most)).children);
                this.mark();
            }}, `${number(items.length - most)} more`));
            list.append(more);
        }
        return list;
    }
    // Where the player is: the innermost item that is unfolded.
    mark() {
        const index = this.position - 1, isSeen = (item) => item.element.checkVisibility ? item.element.checkVisibility() : true;
        const found = (this.items || []).filter((item) => item.from <= index && index <= item.to && item.own.has(index) && isSeen(item))
            .reduce((best, item) => !best || item.own.size <= best.own.size ? item : best, null);
        for (const item of this.items || [])
            if (item.element.hasAttribute("aria-current") && item !== found)
                item.element.removeAttribute("aria-current");
        if (found)
            found.element.setAttribute("aria-current", "step");
    }
    show(position) {
        this.position = position;
        if (!this.element.open || !position)
            return;
        const warp = this.rounds.tape.steps[position - 1][0];
        if (warp !== this.warp) {
            this.warp = warp;
            this.items = [];
            this.place.replaceChildren(el("p", {class: "soft"}, `Warp ${warp}. An item unfolds, or leads to its first step; where the player is, is marked.`),
                this.list(this.rounds.parts(this.rounds.own[warp], 0)));
        }
        this.mark();
    }
}
