// page.js - the page as a whole, from the JSON in the element "data".

// Beside the rules, or where there are none, in two columns of its own.
function timeSection(profile) {
    const isAlone = !rulesOf(profile).length;
    return wide(isAlone ? 6 : 3, section("Where the time goes", el("div", {class: isAlone ? "two" : null},
        el("div", {}, el("h3", {}, "What warps spend their time on"), spentBar(profile)), el("div", {}, el("h3", {}, "How busy units are"), busyBars(profile)))));
}

function kernelPoint(kernel, name, isNow) {
    const roof = kernel.profile.roofline;
    return {name, flop: roof.flop, bytes: roof.bytes, time_us: kernel.profile.time_us, isNow};
}

// Code comes first, also where there is one column only.
function kernelPage(data, kernel) {
    const profile = kernel.profile, before = data.before && {title: data.before.title, profile: data.before.kernels[0].profile};
    const points = [kernelPoint(kernel, profile.kernel, true), ...data.kernels.filter((one) => one !== kernel)
        .map((one) => kernelPoint(one, one.profile.kernel, false)), ...(data.before ? [kernelPoint(data.before.kernels[0], data.before.title, false)] : []),
        ...(data.points || [])];
    return [sourceSection(profile, data.sources), pipelineSection(data.pipeline, data.pipeline_words), rulesSection(profile, data.sources), timeSection(profile),
        memorySection(profile), occupancySection(profile), accessSection(profile, before), playerSection(profile, data.sources),
        timelineSection(profile), rooflineSection(points, profile.roofline), gpusSection(profile.gpus)];
}

const IN_MENU = { // what would be long there
    "What the checker found": "Findings", "Where it goes wrong": "What is wrong", "What to do, by gain": "What to do", "Copies, kernels and the host over time": "Pipeline",
    "Where the time goes": "Time", "Memory chart": "Memory", "What accesses look like": "Accesses", "One block, step by step": "Step by step", "One SM over time": "One SM",
    "As if on another GPU": "Other GPUs", "The lab's stages": "Stages", "Beside the reference solution": "Reference", "Your attempts": "Attempts",
};

// The fixed menu: the sections, and which of them is on the screen.
function menu(root) {
    const links = [...root.querySelectorAll("section > h2")].map((head) => el("a", {href: "#" + head.parentElement.id}, IN_MENU[head.textContent] || head.textContent));
    const nav = el("nav", {class: "menu", "aria-label": "contents"}, el("a", {href: "#page"}, "Top"), links);
    const seen = new Set(), watcher = new IntersectionObserver((entries) => {
        for (const entry of entries)
            seen[entry.isIntersecting ? "add" : "delete"]("#" + entry.target.id);
        const now = links.find((link) => seen.has(link.getAttribute("href")));
        links.forEach((link) => link === now ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
    }, {rootMargin: "-60px 0px -50% 0px"});
    root.querySelectorAll("section:has(> h2)").forEach((one) => watcher.observe(one));
    return nav;
}

class Page {
    constructor(data, root) {
        this.data = data;
        this.root = root;
        this.nav = el("nav");
        this.grid = el("div", {class: "sections"});
        this.head = el("div");
        this.tabs = data.kernels.length > 1 ? data.kernels.map((kernel, i) => el("button", {role: "tab", "aria-selected": "false", onclick: () => this.show(i)},
            `${kernel.profile.kernel}, ${microseconds(kernel.total_us)}`)) : [];
        root.classList.add("kernels");
        root.replaceChildren(this.nav, this.head, this.grid);
        fill(this.head, data.back ? el("p", {}, el("a", {href: data.back}, "← All stages of this submission")) : null,
            el("h1", {}, data.title), el("p", {class: "soft"}, `On the virtual GPU as ${data.gpu}.`),
            this.tabs.length ? el("div", {class: "bar", role: "tablist", "aria-label": "kernels"}, this.tabs) : null);
        this.show(0);
        document.addEventListener("keydown", stepByKeys);
    }
    // The headline first, then what is wrong, then the kernel, then what is around it.
    show(index) {
        const {data} = this, kernel = data.kernels[index];
        this.tabs.forEach((tab, i) => tab.setAttribute("aria-selected", i === index ? "true" : "false"));
        fill(this.grid, kernel ? headlineSection(data, kernel) : wide(6, el("section", {}, el("p", {}, "No kernel came to its end: there is no time to show."))),
            findingsSection(data, (finding) => this.playButton(finding)), momentSection(data.moment, data.sources), ...(kernel ? kernelPage(data, kernel) : []),
            stagesSection(data.stages), referenceSection(data.reference, data.counters || {}), historySection(data.history));
        const nav = menu(this.grid);
        this.nav.replaceWith(nav);
        this.nav = nav;
    }
    // To the step of the block in which it happens, if it was recorded there.
    playButton(finding) {
        const at = (kernel) => (kernel.profile.tape && kernel.profile.tape.marks || []).find((mark) => mark.kind === finding.kind && mark.place === finding.place);
        const index = this.data.kernels.findIndex(at);
        return index < 0 ? null : el("button", {onclick: () => {
            this.show(index);
            const player = this.grid.querySelector("section:has(> h2) > .player");
            player.player.go(at(this.data.kernels[index]).step);
            player.scrollIntoView();
            player.focus({preventScroll: true});
        }}, "Play the step in which it happens");
    }
}

function build(data) {
    setAmountUnit(Math.max(0, ...data.kernels.map((kernel) => largestAmount(kernel.profile)), ...((data.pipeline || {}).spans || []).map((span) => span[4])));
    new Page(data, document.getElementById("page"));
    window.warpstep = {data, Tape, Rounds, lanesOf, valueText, memoryEdges};
}

build(JSON.parse(document.getElementById("data").textContent));
