// check.js - does the player's script say what the machine did? Run in the page that probe.c wrote; "equal N of N" is its answer.
{
    const {data, Tape} = window.warpstep;
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
            const [own, offset] = key.split(":").map(Number), insn = tape.code[tape.steps[slot.step][1]];
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
    document.body.append(document.createElement("p"));
    document.body.lastChild.textContent = `equal ${equal} of ${all} values at ${samples.length} steps`;
}
