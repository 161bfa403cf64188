// similar.js - groups of submissions that are alike, and pairs of them side by side: what they share, what all were given, and the rest.

// Lines of one side; runs: [from, to, which]. onrun: a line of a run was chosen.
function sourcePane(text, runs, onrun) {
    const known = new Set(text.known), own = new Set(text.lines), places = new Map();
    runs.forEach(([from, to, which]) => { for (let line = from; line <= to; line++) if (own.has(line) && !places.has(line)) places.set(line, which); });
    let before = null;
    const lines = text.text.split("\n").map((words, i) => {
        const which = places.get(i), isSame = which != null, isFirst = isSame && which !== before;
        before = isSame ? which : before;
        const go = (event) => { if (event.type === "click" || event.key === "Enter") onrun(which, event.currentTarget); };
        return el("li", {class: isSame ? "same" : known.has(i) ? "known" : null, tabindex: isFirst ? 0 : null, "data-run": isSame ? which : null,
            ...(isSame ? {onclick: go, onkeydown: go} : {})}, words || " ");
    });
    return el("div", {class: "source", tabindex: 0, role: "region", "aria-label": `the text of ${text.name}`}, el("ol", {}, lines));
}

// A run lights up on both sides; the other side comes to about the same place of it. A text may have a run more than once, so lines are
// found by where they are, not by the run that claimed them first.
function showRun(panes, side, [a_from, a_to, b_from, b_to], chosen) {
    const sides = [[a_from, a_to], [b_from, b_to]].map(([from, to], i) => [...panes[i].querySelectorAll("li")].slice(from, to + 1).filter((line) => line.classList.contains("same")));
    const [here, there] = [sides[side], sides[1 - side]];
    panes.forEach((pane) => pane.querySelectorAll(".twin").forEach((line) => line.classList.remove("twin")));
    [...here, ...there].forEach((line) => line.classList.add("twin"));
    const twin = there[Math.round(here.indexOf(chosen) / Math.max(here.length - 1, 1) * (there.length - 1))];
    if (twin)
        panes[1 - side].scrollTop = twin.offsetTop - panes[1 - side].offsetTop - panes[1 - side].clientHeight / 3;
}

function pairView(data, pair) {
    const [a, b] = [pair.a, pair.b].map((number_) => data.texts.find((text) => text.number === number_)), panes = [];
    panes.push(sourcePane(a, pair.runs.map((run, i) => [run[0], run[1], i]), (which, line) => showRun(panes, 0, pair.runs[which], line)),
        sourcePane(b, pair.runs.map((run, i) => [run[2], run[3], i]), (which, line) => showRun(panes, 1, pair.runs[which], line)));
    return [el("p", {role: "status"}, `${pair.percent} % alike: ${plural(pair.tokens, "token")} in common, in ${plural(pair.runs.length, "run")}. Of their own: `,
        el("bdi", {}, a.name), ` has ${number(a.own)}, `, el("bdi", {}, b.name), ` ${number(b.own)}.`),
    el("div", {class: "pair"}, [a, b].map((text, i) => el("div", {}, el("h3", {class: "names"}, el("bdi", {}, text.name)), panes[i])))];
}

function similarPage(data) {
    const name = (number_) => data.texts.find((text) => text.number === number_).name, place = el("div", {id: "pair"});
    const buttons = [], choose = (i) => {
        buttons.forEach((button, k) => button.setAttribute("aria-pressed", k === i ? "true" : "false"));
        place.replaceChildren(...pairView(data, data.pairs[i]));
        place.querySelectorAll(".source").forEach((pane) => { // what they share comes into view
            const first = pane.querySelector("li.same");
            pane.scrollTop = first ? first.offsetTop - pane.offsetTop - 40 : 0;
        });
    };
    data.pairs.forEach((pair, i) => buttons.push(el("button", {onclick: () => choose(i), "aria-pressed": "false"}, `pair ${i + 1}`)));
    const row = (pair) => [buttons[data.pairs.indexOf(pair)], pair.percent + " %", pair.tokens, el("bdi", {}, name(pair.a)), el("bdi", {}, name(pair.b))];
    const groupView = (group, which) => {
        const rows = data.pairs.filter((pair) => pair.group === which).map(row);
        return [el("h3", {}, group.words), el("p", {class: "names"}, group.members.flatMap((member, i) => [i ? ", " : "", el("bdi", {}, member)])),
            rows.length ? table(["", "alike", "tokens", "", ""], rows, [null, null, null, "text names", "text names"]) : null];
    };
    const rows = data.pairs;
    const page = [el("h1", {}, data.title), el("p", {}, `Of ${plural(data.count, "text")}, ${plural(data.groups.length, "group")} of submissions ${data.least}. ` +
        "Names, numbers, macros, comments, layout and the order of functions and operands make no difference. What the skeleton and the handout have is left out, " +
        "and so is a statement that many write whose files differ. That two are alike proves nothing: there are few ways to write a short kernel. Look, and ask."),
    section("Groups", data.groups.length ? data.groups.flatMap(groupView) : el("p", {}, "There are none.")),
    rows.length ? section("Side by side", el("p", {class: "soft"}, "Marked lines stand in both; choose one to see where. Grey lines were given."), place) : null];
    if (rows.length)
        requestAnimationFrame(() => choose(0)); // once it stands on the page and has places
    return page;
}
