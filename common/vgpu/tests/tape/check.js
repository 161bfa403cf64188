// check.js - does the player's script say what the machine did? Run in the page that probe.c wrote; "equal N of N" is its answer.
{
    const {data, Tape, lanesOf} = window.warpstep;
    const tape = new Tape(data.kernels[0].profile);
    let equal = 0, all = 0;
    const compare = (found, wanted) => {
        all++;
        equal += found === wanted;
    };
    // Any order: the player goes back as well as forward.
    const samples = data.expected.map((one, i) => [i * 7919 % data.expected.length, one]).sort((a, b) => a[0] - b[0]).map((pair) => pair[1]);
    for (const sample of samples) {
        const state = tape.at(sample.step), warp = state.warps[sample.warp];
        const bytes = new DataView(new Uint32Array(sample.registers).buffer);
        for (const [key, slot] of warp.slots) {
            const [own, offset] = key.split(":").map(Number), insn = slot.insn;
            for (let lane = 0; own === 0 && lane < 32; lane++)
                if (slot.lanes[lane] !== undefined)
                    compare(slot.lanes[lane], insn.bits === 64 ? bytes.getBigUint64(offset + 8 * lane, true)
                        : BigInt(insn.bits === 16 ? bytes.getUint16(offset + 2 * lane, true) : bytes.getUint32(offset + 4 * lane, true)));
        }
        for (const [key, pred] of warp.preds)
            if (key.startsWith("0:"))
                compare(pred.lanes, sample.preds[+key.slice(2)]);
        for (const [word, found] of state.shared)
            compare(found.value, sample.shared[word]);
    }
    // Rounds of a loop: those that are shown and those that gaps name are all, from the first to the last.
    const profile = data.kernels[0].profile, rounds = new window.warpstep.Rounds(profile, tape), covered = new Map();
    tape.steps.forEach((step, index) => {
        for (const {visit, trip} of rounds.chain(index)) {
            if (!covered.has(visit))
                covered.set(visit, {found: new Set(), warp: step[0]});
            const {found} = covered.get(visit), gap = step[4];
            for (let i = trip ? rounds.trips[trip].number : gap.from; i <= (trip ? rounds.trips[trip].number : gap.to); i++)
                if (!trip || !rounds.trips[trip].isTest)
                    found.add(i);
        }
    });
    for (const [visit, {found, warp}] of covered) {
        if (profile.tape.cut[warp])
            continue;
        compare(found.size, rounds.visits[visit].count);
        compare(Math.max(...found), rounds.visits[visit].count);
    }
    if (data.title === "rounds") {
        const known = [...covered.keys()].map((visit) => rounds.visits[visit]);
        compare(known.filter((one) => !one.outer).map((one) => one.count).join(), "200,200,200,200");
        compare(known.filter((one) => one.outer).every((one) => one.count === 40), true);
        compare(tape.steps.some((step) => step[1] < 0), true);
        compare(profile.tape.cut.join(), "0,0,0,0");
        // Going by iterations: over gaps, to the end of the loop; by loops: past it.
        let at = rounds.own[0].find((index) => rounds.chain(index).length), seen = [];
        for (; at !== null && rounds.chain(at).length; at = rounds.nextIteration(at, 1))
            if (rounds.chain(at).length === 1 && rounds.chain(at)[0].trip)
                seen.push(rounds.trips[rounds.chain(at)[0].trip].number);
        compare([...new Set(seen)].at(-1), 200);
        compare(rounds.chain(rounds.nextLoop(rounds.own[0].find((index) => rounds.chain(index).length === 1), 1)).length, 0);
    }
    // What is said of registers: a load from an array of shared memory has addresses in it, and a register that is an address in one
    // holds such an address whenever it is used; names of parameters are those of the program.
    const arrays = new Map(profile.tape.arrays.map((one) => [one.name, one])), said = {from: 0, counter: 0};
    tape.steps.forEach((step, index) => {
        const insn = step[1] >= 0 ? tape.code[step[1]] : null, from = insn && insn.notes && /from (\w+)\[/.exec(insn.notes[0]);
        said.counter += insn && insn.notes && insn.notes.some((note) => note.includes("counter of the loop")) ? 1 : 0;
        if (!from || !insn.text.includes(".shared"))
            return;
        const array = arrays.get(from[1]);
        said.from++;
        for (const at of tape.addresses(index) || [])
            if (at != null)
                compare(array !== undefined && Number(at) >= array.at && Number(at) < array.at + array.bytes, true);
    });
    const aliases = (text) => tape.code.filter((insn) => insn.text.startsWith(text)).map((insn) => insn.alias || "").join();
    if (["reduce", "rounds", "wide"].includes(data.title)) {
        compare(said.from > 0, true);
        compare(aliases("ld.param.u64").split(",").sort().join(), "in,out");
        compare(aliases("cvta.to.global").split(",").sort().join(), "in,out");
    }
    if (data.title === "rounds") {
        const lines = tape.code.flatMap((insn) => insn.notes || []).flatMap((note) => /counter of the loop of line (\d+)/.exec(note)?.[1] || []);
        compare([...new Set(lines)].sort().join(), profile.loops.map((loop) => String(loop[2])).sort().join());
        compare(said.counter > 0, true);
        // A counter starts anew in each round of the outer loop, and the other ends at its 200 rounds.
        const counters = tape.steps.flatMap((step, index) => step[1] >= 0 && step[0] === 0 && /^add/.test(tape.code[step[1]].text) &&
            tape.code[step[1]].notes?.[0].includes("counter") ? [Number(lanesOf(step[5][0], step[3] >>> 0, 32)[0])] : []);
        compare(Math.max(...counters), 200);
    }
    // Each warp has words of its own there, also those that it wrote where its tape had been cut.
    if (data.title === "straight") {
        compare(profile.tape.cut.some((one) => one), true);
        compare(profile.tape.quiet.length > 0, true);
        for (const [word, found] of tape.at(tape.steps.length).shared)
            compare(found.warp, word >> 5);
    }
    document.body.append(document.createElement("p"));
    document.body.lastChild.textContent = `equal ${equal} of ${all} values at ${samples.length} steps`;
}
