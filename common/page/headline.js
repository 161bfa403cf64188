// headline.js - what comes first: what limits, which line, what fixing it gains and what to do next; what was found wrong; the rules.

// A link to a line of the program, with its text.
function lineLink(profile, sources, file, line) {
    const text = sourceLine(profile, sources, file, line), name = `line ${line}`;
    return [el("a", {href: `#line-${file}-${line}`}, name), text ? [" ", el("code", {}, text)] : null];
}

function mostExpensive(profile) {
    return profile.lines.filter((one) => one.line && profile.files[one.file]).sort((a, b) => sum(b.spent) - sum(a.spent))[0];
}

// Most gain first.
function rulesOf(profile) {
    return [...(profile.rules || [])].sort((a, b) => b.gain - a.gain);
}

// Without "Line 12: " where the line stands beside it.
function ruleWords(rule) {
    const words = withMicro(rule.words).replace(/^Line \d+: /, "");
    return words[0].toUpperCase() + words.slice(1);
}

// gain: how many times as fast.
function gainText(profile, gain) {
    return `about ${times(gain)}: ${microseconds(profile.time_us / gain)} instead of ${microseconds(profile.time_us)}`;
}

function limitText(profile) {
    const busy = profile.busy[profile.limiter];
    return profile.limited_by + (busy ? `, busy ${percent(busy)} of the time` : "");
}

function withoutText(profile) {
    const after = profile.without_us;
    return after > 0 && after < profile.time_us && !["launch", "tail"].includes(profile.limiter)
        ? `${microseconds(after)} instead of ${microseconds(profile.time_us)}` : "Nothing that the model can tell";
}

// Occupancy is what an SM has room for; a grid that is smaller than that uses less.
function roomLeft(profile, blocks) {
    const own = profile.occupancy, onSm = Math.ceil(blocks / profile.sms);
    return onSm < own.blocks ? ` is what fits; ${onSm * own.warps / own.blocks} of ${own.max_warps} warps in use` : "";
}

function keyFigures(kernel) {
    const profile = kernel.profile, blocks = profile.grid[0] * profile.grid[1] * profile.grid[2], {bytes: moved, dram_gbs} = profile.roofline;
    return [[microseconds(profile.time_us), kernel.launches > 1 ? `the longest of ${number(kernel.launches)} launches, ${microseconds(kernel.total_us)} in all` : "the kernel"],
        [`${size(profile.grid)} blocks`, blocks < profile.sms ? `of ${size(profile.block)} threads; only ${blocks} of ${profile.sms} SMs have one` : `of ${size(profile.block)} threads`],
        [percent(profile.counters.occupancy || 0), `occupancy${roomLeft(profile, blocks)}${profile.counters.registers_per_thread ? `, ${number(profile.counters.registers_per_thread)} registers` : ""}`],
        [rate(moved, profile.time_us), `DRAM, of ${number(dram_gbs)} GB/s; ${amount(moved)}`]];
}

// "3 findings: the results are not reliable", and where to look.
function wrongNote(data) {
    const found = data.findings || [];
    return data.stage && data.stage.wrong ? el("p", {class: "wrong"}, data.stage.wrong) :
        found.length ? el("p", {class: "wrong"}, `The checker found ${plural(found.length, "error")}, the first at ${fileName(found[0].place) || "an unknown place"}: `,
            el("a", {href: "#findings"}, found[0].title), ".") : null;
}

// What is wrong comes before what is slow.
function nextStep(data, profile, rule) {
    if (wrongNote(data))
        return "Fix what is wrong first: until then times mean little.";
    return [rule ? ruleWords(rule) : withMicro(profile.advice || ""), data.stage && data.stage.next ? el("p", {}, data.stage.next) : null];
}

function headlineSection(data, kernel) {
    // Line and gain are those of one rule; where there is none, of the line that costs most and of the limit.
    const profile = kernel.profile, [best] = rulesOf(profile);
    const line = best ? profile.lines.find((one) => one.line && one.line === best.line && one.file === best.file) : mostExpensive(profile);
    const noLine = best ? "none: it is about the kernel as a whole" : "no line is known: compile with -lineinfo";
    const cell = (name, ...words) => el("div", {class: name === "Next step" ? "whole" : null}, el("dt", {}, name), el("dd", {}, words));
    return wide(6, el("section", {class: "headline", id: "headline", "aria-label": "in short"}, wrongNote(data),
        el("dl", {class: "four"}, cell("Limited by", limitText(profile)),
            cell(best ? "To fix" : "Most expensive line", line ? lineLink(profile, data.sources, line.file, line.line) : noLine,
                line ? `, ${percent(sum(line.spent))} of the time` : null),
            cell(best ? "Fixing it gains" : "Without the limit", best ? gainText(profile, best.gain) : withoutText(profile)),
            cell("Next step", nextStep(data, profile, best))),
        el("ul", {class: "figures"}, keyFigures(kernel).map(([value, words]) => el("li", {}, el("b", {}, value), " ", words))),
        profile.sample ? el("p", {}, profile.sample) : null,
        (data.pipeline_words || []).slice(0, 1).map((text) => el("p", {}, withMicro(text))),
        data.stage && data.stage.time ? el("p", {}, withMicro(data.stage.time)) : null,
        kernel.words ? el("details", {}, el("summary", {}, "The same in words, with pictures in text"), el("pre", {}, kernel.words)) : null));
}

// Rules, the one with the largest gain first.
function rulesSection(profile, sources) {
    const rules = rulesOf(profile);
    return rules.length ? wide(3, section("What to do, by gain", el("ol", {class: "rules"}, rules.map((rule) => el("li", {},
        el("b", {}, times(rule.gain)), el("div", {}, rule.line ? el("p", {class: "soft"}, lineLink(profile, sources, rule.file, rule.line)) : null,
            el("p", {}, ruleWords(rule)))))), el("p", {class: "soft"}, "How many times as fast the launch would be with this fix alone, at best, by the timing model. Gains do not add up."))) : null;
}

// What the checker said of a program; where a step is known in which it happens, it can be played.
function findingsSection(data, playFinding) {
    const found = data.findings || [];
    if (!found.length)
        return null;
    const part = wide(6, section("What the checker found", el("ul", {class: "findings"}, found.map((one) => el("li", {},
        el("b", {}, one.severity), ` ${one.place ? fileName(one.place) + ": " : ""}${one.title}`, one.other_place ? `, with ${fileName(one.other_place)}` : "",
        one.cause ? el("p", {}, `Likely cause: ${one.cause}.`) : null, playFinding(one),
        el("details", {}, el("summary", {}, "The whole message"), el("pre", {}, one.text)))))));
    part.id = "findings";
    return part;
}
