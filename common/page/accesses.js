// accesses.js - pictures of what the 32 lanes of a warp did to memory: over sectors, or over banks.

const CELL = 18;

function wordsOf(picture) {
    const each = Math.max(1, picture.bytes / 4), words = [];
    picture.at.forEach((at, lane) => {
        for (let i = 0; at != null && i < each; i++)
            words.push({lane, at: picture.base + at + 4 * i});
    });
    return words;
}

// Each row a line of 128 bytes: words with the lane that uses them, words that only come along with their sector.
function sectorPicture(picture) {
    const most = 12, left = 90, words = wordsOf(picture);
    const lines = [...new Set(words.map((word) => Math.floor(word.at / 128)))].sort((a, b) => a - b);
    const rows = lines.slice(0, most).map((line, row) => {
        const inLine = words.filter((word) => Math.floor(word.at / 128) === line);
        const used = new Map();
        inLine.forEach((word) => used.set(Math.floor(word.at % 128 / 4), word.lane));
        const cells = [];
        for (let i = 0; i < 32; i++) {
            const isFetched = [...used.keys()].some((one) => Math.floor(one / 8) === Math.floor(i / 8));
            const x = left + i * CELL + Math.floor(i / 8) * 6, y = 18 + row * 24;
            cells.push(svg("rect", {x, y, width: CELL - 1, height: 20,
                fill: used.has(i) ? "var(--used)" : isFetched ? "var(--fetched)" : "none", stroke: "var(--rule)"}));
            if (used.has(i)) // white letters on blue
                cells.push(svg("text", {x: x + CELL / 2 - 0.5, y: y + 13, class: "tiny"}, used.get(i)));
        }
        return [svg("text", {x: left - 8, y: 32 + row * 24, "text-anchor": "end"}, `+${(line - lines[0]) * 128}`), cells];
    });
    const heads = [0, 1, 2, 3].map((i) => svg("text", {x: left + i * (8 * CELL + 6), y: 11, class: "soft"}, `sector ${i}`));
    const rest = lines.length > most
        ? svg("text", {x: left, y: 34 + most * 24, class: "soft"}, `and ${plural(lines.length - most, "line")} of 128 bytes more`) : null;
    const used = new Set(words.map((word) => Math.floor(word.at / 4))).size * 4;
    const told = `${picture.cost} sectors are ${picture.cost * 32} bytes, of which lanes use ${used}.`;
    return [drawing(left + 32 * CELL + 24, 24 * Math.min(lines.length, most) + (rest ? 42 : 22), "Lanes over sectors",
        `${told} Lines of 128 bytes: ${lines.length}.`, heads, rows, rest), told];
}

// Lanes go to the banks together: all, or halves and quarters where each wants more than a word; two of these become one where
// lanes want the same in pairs, as they hold no more words then than one can carry.
function bankGroups(picture) {
    const atOnce = 32 / Math.max(1, picture.bytes / 4), groups = [];
    const agree = (from, bit) => picture.at.every((at, lane) => lane < from || lane >= from + 2 * atOnce || at == null ||
        picture.at[lane ^ bit] == null || picture.at[lane ^ bit] === at);
    for (let from = 0; from < 32; from += atOnce === 32 ? 32 : 2 * atOnce)
        if (atOnce === 32 || agree(from, 1) || agree(from, 2))
            groups.push([from, Math.min(from + 2 * atOnce, 32)]);
        else
            groups.push([from, from + atOnce], [from + atOnce, from + 2 * atOnce]);
    return groups;
}

function bankPasses(picture) {
    const passes = [];
    for (const [from, to] of bankGroups(picture)) {
        const banks = Array.from({length: 32}, () => []);
        wordsOf(picture).filter((word) => word.lane >= from && word.lane < to).forEach((word) => {
            const index = Math.floor(word.at / 4), bank = banks[index % 32];
            const known = bank.find((one) => one.index === index);
            if (known)
                known.lanes.push(word.lane);
            else
                bank.push({index, lanes: [word.lane]});
        });
        const depth = Math.max(...banks.map((bank) => bank.length));
        for (let pass = 0; pass < depth; pass++)
            passes.push({isExtra: pass > 0, banks: banks.map((bank) => bank[pass])});
    }
    return passes;
}

function bankPicture(picture) {
    const most = 16, left = 90, passes = bankPasses(picture);
    const rows = passes.slice(0, most).map((pass, row) => [
        svg("text", {x: left - 8, y: 32 + row * 24, "text-anchor": "end"}, `pass ${row + 1}`),
        pass.banks.map((word, bank) => [
            svg("rect", {x: left + bank * CELL, y: 18 + row * 24, width: CELL - 1, height: 20, stroke: "var(--rule)",
                fill: word ? pass.isExtra ? "var(--clash)" : "var(--used)" : "none"},
                word ? svg("title", {}, `bank ${bank}, word ${word.index}: lanes ${ranges([...new Set(word.lanes)])}`) : null),
            word ? svg("text", {x: left + bank * CELL + CELL / 2 - 0.5, y: 31 + row * 24, class: "tiny"},
                word.lanes[0] + (new Set(word.lanes).size > 1 ? "+" : "")) : null])]);
    const heads = [0, 8, 16, 24, 31].map((bank) => svg("text", {x: left + bank * CELL, y: 11, class: "soft"}, bank));
    const extra = passes.filter((pass) => pass.isExtra).length;
    const worst = passes.length ? passes[0].banks.map((word, bank) => [bank, passes.filter((pass) => pass.banks[bank]).length])
        .sort((a, b) => b[1] - a[1])[0] : [0, 0];
    const clashing = ranges([...new Set(passes.flatMap((pass) => pass.banks[worst[0]] ? pass.banks[worst[0]].lanes : []))]
        .sort((a, b) => a - b));
    const told = extra ? `${passes.length} passes, ${extra} of them only by conflicts: bank ${worst[0]} must serve ${worst[1]} words, one per pass, to lanes ${clashing}.`
        : `${passes.length === 1 ? "1 pass" : passes.length + " passes"}, no conflict.`;
    const rest = passes.length > most
        ? svg("text", {x: left, y: 34 + most * 24, class: "soft"}, `and ${passes.length - most} passes more`) : null;
    return [drawing(left + 32 * CELL + 10, 24 * Math.min(passes.length, most) + (rest ? 42 : 24), "Lanes over banks", told,
        svg("text", {x: left - 8, y: 11, "text-anchor": "end", class: "soft"}, "bank"), heads, rows, rest), told];
}

// "(162,4)": as the kernel sees it.
function blockName(profile, index) {
    const [x, y, z] = profile.grid, parts = [index % x, Math.floor(index / x) % y, Math.floor(index / x / y)];
    return z > 1 ? `(${parts})` : y > 1 ? `(${parts.slice(0, 2)})` : String(index);
}

function pictureOf(profile, access, which) {
    const picture = access[which];
    const [drawn, told] = access.space === "shared" ? bankPicture(picture) : sectorPicture(picture);
    return el("figure", {}, el("div", {class: "scroll wide"}, drawn),
        el("figcaption", {}, `Warp ${picture.warp} of block ${blockName(profile, picture.block)}. ${told}`));
}

function accessName(profile, access) {
    return `line ${access.line}: ${access.space} ${access.verb}${access.array ? " of " + access.array : ""}, ${plural(access.bytes, "byte")} a lane`;
}

// Of all sectors, or passes, that accesses of the same memory make: who fills its pipes.
function shareOf(profile, access) {
    const same = profile.accesses.filter((one) => (one.space === "shared") === (access.space === "shared"));
    return access.parts / Math.max(sum(same.map((one) => one.parts)), 1);
}

function accessFacts(profile, access) {
    const unit = {shared: ["pass", "passes"], constant: ["word", "words"]}[access.space] || ["sector", "sectors"];
    const now = access.parts / access.requests, ideal = access.ideal / access.requests;
    return `${plural(access.requests, "request")}, ${number(now)} ${unit[now === 1 ? 0 : 1]} each` +
        (now > 1.05 * ideal ? `; ${number(ideal)} would do` : ", as few as can be") + `. ${percent(shareOf(profile, access))} of all ${unit[1]} of this kernel are its.` +
        (access.verb === "load" ? ` Warps spend ${percent(access.spent)} of their time on it.` : "");
}

function isWasteful(access) {
    return access.parts > 1.05 * access.ideal;
}

// The same thing in another run: the same array and kind of access, or the nearest to it.
function matchOf(access, others) {
    const score = (one) => (one.space === access.space) * 4 + (one.verb === access.verb) * 2 + (one.array === access.array);
    const best = others.filter((one) => one.seen && one.verb === access.verb).sort((a, b) => score(b) - score(a))[0];
    return best && score(best) >= 4 ? best : null;
}

function accessSection(profile, before) {
    const drawn = profile.accesses.filter((access) => access.seen && access.space !== "constant");
    if (!drawn.length)
        return null;
    const lost = (access) => access.spent * (1 - access.ideal / Math.max(access.parts, 1));
    const both = drawn.map((access) => { // what is lost here, and what was before
        const other = before && matchOf(access, before.profile.accesses);
        return lost(access) + (other ? lost(other) : 0);
    });
    let index = both.indexOf(Math.max(...both)), which = "worst";
    const place = el("div", {"aria-live": "polite"});
    const show = () => {
        const access = drawn[index], other = before && matchOf(access, before.profile.accesses);
        const now = el("div", {}, other ? el("h3", {}, "Now") : null, el("p", {}, accessFacts(profile, access)), pictureOf(profile, access, which));
        const then = other && el("div", {}, el("h3", {}, before.title), el("p", {}, `${accessName(before.profile, other)}. ${accessFacts(before.profile, other)}`),
            pictureOf(before.profile, other, which));
        place.replaceChildren(other ? el("div", {class: "two"}, now, then) : now);
    };
    show();
    return wide(before ? 6 : 3, section("What accesses look like",
        el("p", {class: "soft"}, "From the run itself. Each cell is a word of four bytes, with the lane that uses it. Global memory: a row is a line of 128 bytes; blue is used, ",
            "grey comes along in the same sector of 32 bytes. Shared memory: a row is a pass over the 32 banks; red passes are there only because lanes clash."),
        el("div", {class: "bar"},
            choice("Access", drawn.map((access, i) => [i, accessName(profile, access) + (isWasteful(access) ? " (!)" : "")]), index,
                (value) => { index = +value; show(); }),
            choice("warp", [["worst", "the worst"], ["typical", "a typical one"], ["first", "the first"]], which,
                (value) => { which = value; show(); })),
        place));
}
