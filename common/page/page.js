// page.js - the page as a whole, from the JSON in the element "data".

function summary(kernel) {
    const profile = kernel.profile, without = profile.without_us;
    const busy = profile.busy[profile.limiter];
    return section("In short",
        el("p", {}, `Kernel ${profile.kernel}: ${size(profile.grid)} blocks of ${size(profile.block)} threads, ` +
            `${number(profile.counters.registers_per_thread)} registers, occupancy ${percent(profile.counters.occupancy || 0)}: ${microseconds(profile.time_us)}` +
            (kernel.launches > 1 ? `, the longest of ${number(kernel.launches)} launches, ${microseconds(kernel.total_us)} in all.` : ".")),
        profile.grid[0] * profile.grid[1] * profile.grid[2] < profile.sms
            ? el("p", {}, `Only ${profile.grid[0] * profile.grid[1] * profile.grid[2]} of ${profile.sms} SMs have a block: the others have nothing to do.`) : null,
        el("p", {}, `Limited by ${profile.limited_by}${busy ? `, busy ${percent(busy)} of the time` : ""}. ` +
            (without > 0 && !["launch", "tail"].includes(profile.limiter) ? `Without this limit it would take ${microseconds(without)}.` : "")),
        profile.advice ? el("p", {}, profile.advice) : null,
        el("p", {}, `It moves ${bytes(profile.roofline.bytes)} from and to DRAM: ${number(profile.roofline.bytes / profile.time_us * 1e-3)} of ` +
            `${number(profile.roofline.dram_gbs)} GB/s.${profile.roofline.flop ? "" : " It does no arithmetic on floats: there is no roofline."}`),
        kernel.words ? el("details", {}, el("summary", {}, "The same in words, with pictures in text"), el("pre", {}, kernel.words)) : null,
        el("h3", {}, "What warps spend their time on"), spentBar(profile),
        el("h3", {}, "How busy units are"), busyBars(profile));
}

function kernelPoint(kernel, name, isNow) {
    const roof = kernel.profile.roofline;
    return {name, flop: roof.flop, bytes: roof.bytes, time_us: kernel.profile.time_us, isNow};
}

function kernelPage(data, kernel) {
    const profile = kernel.profile, before = data.before && {title: data.before.title, profile: data.before.kernels[0].profile};
    const points = [kernelPoint(kernel, profile.kernel, true), ...data.kernels.filter((one) => one !== kernel)
        .map((one) => kernelPoint(one, one.profile.kernel, false)), ...(data.before ? [kernelPoint(data.before.kernels[0], data.before.title, false)] : []),
        ...(data.points || [])];
    return [summary(kernel), sourceSection(profile, data.sources), accessSection(profile, before), playerSection(profile, data.sources),
        timelineSection(profile), rooflineSection(points, profile.roofline), gpusSection(profile.gpus)].filter((one) => one);
}

function kernelTabs(data, place) {
    const buttons = data.kernels.map((kernel, i) => el("button", {role: "tab", "aria-selected": i === 0 ? "true" : "false", onclick: () => {
        buttons.forEach((button, k) => button.setAttribute("aria-selected", k === i ? "true" : "false"));
        place.replaceChildren(...kernelPage(data, kernel));
    }}, `${kernel.profile.kernel}, ${microseconds(kernel.total_us)}`));
    return data.kernels.length > 1 ? el("div", {class: "bar", role: "tablist", "aria-label": "kernels"}, buttons) : null;
}

function contents(root) {
    return el("nav", {"aria-label": "contents"}, [...root.querySelectorAll("section > h2")].map((head) =>
        el("a", {href: "#" + head.id}, head.textContent)));
}

function build(data) {
    const root = document.getElementById("page"), place = el("div");
    const stage = data.stage;
    root.replaceChildren(...(data.back ? [el("p", {}, el("a", {href: data.back}, "← All stages of this submission"))] : []),
        el("h1", {}, data.title), el("p", {class: "soft"}, `On the virtual GPU as ${data.gpu}.`),
        ...(stage ? stage.words.map((words) => el("p", {}, words)) : []), ...[momentSection(data.moment, data.sources), pipelineSection(data.pipeline, data.pipeline_words)].filter((one) => one), ...[kernelTabs(data, place)].filter((one) => one), place,
        ...[stagesSection(data.stages), referenceSection(data.reference, data.counters || {}),
            historySection(data.history)].filter((one) => one));
    if (data.kernels.length)
        place.append(...kernelPage(data, data.kernels[0]));
    else
        place.append(el("p", {}, "No kernel was launched: there is nothing to show."));
    root.querySelector("h1").after(contents(root));
    window.warpstep = {data, Tape, Rounds, lanesOf, valueText};
}

build(JSON.parse(document.getElementById("data").textContent));
