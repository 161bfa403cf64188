// tape.js - the state of a block after each of its steps, from what the steps wrote. Nothing here draws.

const EVERY = 256; // steps between states that are kept

// "2a", "10+4" or "1,2,f": see code.c. Gives an array of 32, with undefined for lanes outside the mask.
function lanesOf(text, mask, bits) {
    const lanes = new Array(32), list = text.includes(",") ? text.split(",") : null;
    const parts = list ? null : /^([0-9a-f]+)(?:([+-])([0-9a-f]+))?$/.exec(text);
    const first = parts && BigInt("0x" + parts[1]);
    const step = parts && parts[2] ? BigInt("0x" + parts[3]) * (parts[2] === "-" ? -1n : 1n) : 0n;
    for (let lane = 0, i = 0; lane < 32; lane++)
        if (mask >>> lane & 1)
            lanes[lane] = list ? BigInt("0x" + list[i++]) : BigInt.asUintN(bits, first + step * BigInt(lane));
    return lanes;
}

class Tape {
    constructor(profile) {
        this.tape = profile.tape;
        this.code = profile.code;
        this.steps = profile.tape.steps;
        this.quiet = new Map(); // by step: what steps that are not shown wrote to shared memory before it
        for (const [before, warp, words] of profile.tape.quiet || [])
            this.quiet.set(before, [...(this.quiet.get(before) || []), [warp, words]]);
        this.kept = [this.start()];
    }
    start() {
        return {step: 0, shared: new Map(), warps: Array.from({length: this.tape.warps}, () =>
            ({slots: new Map(), preds: new Map(), active: 0, insn: -1, count: 0, barriers: 0}))};
    }
    copy(state) {
        return {step: state.step, shared: new Map(state.shared), warps: state.warps.map((warp) =>
            ({...warp, slots: new Map(warp.slots), preds: new Map(warp.preds)}))};
    }
    // The slots, the values' texts, the predicates, words of shared memory and addresses of a step. A gap stands for steps that are
    // not shown: its instruction is their last.
    parts(index) {
        const [warp, insn, active, mask, slots = [], values = [], preds = [], shared = [], address = null] = this.steps[index];
        if (insn < 0)
            return {warp, insn: slots.last, active, mask: 0, slots: [], values: [], preds: [], shared: [], address: null, gap: slots};
        return {warp, insn, active, mask: mask >>> 0, slots, values, preds, shared, address, gap: null};
    }
    addresses(index) {
        const step = this.parts(index);
        return step.address == null ? null : lanesOf(step.address, step.mask, 64);
    }
    // The lane whose address covers a word of shared memory; -1: unknown, as for copies that come later.
    writer(index, word) {
        const addresses = this.addresses(index);
        if (!addresses)
            return -1;
        return addresses.findLastIndex((at) => at != null && Number(at & 0xffffffn) <= word * 4 + 3 && Number(at & 0xffffffn) + 16 > word * 4 &&
            Math.floor(Number(at & 0xffffffn) / 4) <= word);
    }
    write(warp, insn, destination, number_, mask, text, index) {
        const own = (insn.function || 0) + ":"; // a function's registers are its own
        const slot = own + number_, old = warp.slots.get(slot), lanes = lanesOf(text, mask, insn.bits === 64 ? 64 : 32);
        const name = insn.to[destination];
        for (let lane = 0; lane < 32; lane++)
            if (lanes[lane] === undefined && old)
                lanes[lane] = old.lanes[lane];
        warp.slots.set(slot, {name, kind: insn.kinds[destination], bits: insn.bits === 64 ? 64 : 32, lanes, step: index, insn,
            alias: insn.alias || "", note: insn.notes ? insn.notes[destination] : ""});
    }
    writeShared(state, warp, words, index, isShown) {
        for (let i = 0; i < words.length; i += 2)
            state.shared.set(words[i], {value: words[i + 1] >>> 0, step: index, warp, isShown});
    }
    apply(state, index) {
        const step = this.parts(index), insn = this.code[step.insn], warp = state.warps[step.warp];
        for (const [other, words] of this.quiet.get(index) || [])
            this.writeShared(state, other, words, index, false);
        step.slots.forEach((number_, i) => this.write(warp, insn, i, number_, step.mask, step.values[i], index));
        for (let i = 0; i < step.preds.length; i += 2)
            warp.preds.set((insn.function || 0) + ":" + step.preds[i], {lanes: step.preds[i + 1] >>> 0, step: index});
        if (step.gap) {
            for (const [number_, destination, slot, mask, text] of step.gap.registers)
                this.write(warp, this.code[number_], destination, slot, mask >>> 0, text, index);
            for (const [own, number_, lanes] of step.gap.preds)
                warp.preds.set(own + ":" + number_, {lanes: lanes >>> 0, step: index});
        }
        this.writeShared(state, step.warp, step.shared, index, true);
        warp.active = step.active >>> 0;
        warp.insn = step.insn;
        warp.count++;
        warp.barriers += step.gap ? step.gap.barriers : insn.is_barrier ? 1 : 0;
        state.step = index + 1;
    }
    // After so many steps.
    at(count) {
        let nearest = Math.min(Math.floor(count / EVERY), this.kept.length - 1);
        let state = this.copy(this.kept[nearest]);
        while (state.step < count) {
            this.apply(state, state.step);
            if (state.step % EVERY === 0 && this.kept.length === state.step / EVERY)
                this.kept.push(this.copy(state));
        }
        return state;
    }
}

function valueText(value, kind, bits) {
    if (value === undefined)
        return "";
    if (kind === "f" || kind === "d") {
        const view = new DataView(new ArrayBuffer(8));
        if (kind === "d")
            view.setBigUint64(0, value);
        else
            view.setUint32(0, Number(BigInt.asUintN(32, value)));
        const real = kind === "d" ? view.getFloat64(0) : view.getFloat32(0);
        return Number.isInteger(real) && Math.abs(real) < 1e7 ? String(real) : real.toPrecision(6);
    }
    if (bits === 64 && value > 0xffffffffffn && value >> 48n === 0n)
        return "0x" + value.toString(16); // an address, whatever it was computed with
    if (kind === "s")
        return String(BigInt.asIntN(bits, value));
    return kind === "x" && value > 0xffffn ? "0x" + value.toString(16) : String(value);
}
