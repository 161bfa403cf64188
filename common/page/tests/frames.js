// frames.js - opens each of PAGES in frames of the widths in WIDTHS and writes what is wrong with them; "checked N" comes last. What is
// asked of every page stands here; check_content(name, document, data), which comes before, asks for more.

function check_drawings(name, frame, fewest) {
    const drawings = [...frame.querySelectorAll("svg")];
    if (drawings.length < fewest)
        say(name, `it has ${drawings.length} drawings`);
    for (const drawing of drawings)
        if (drawing.getAttribute("role") !== "img" || !drawing.querySelector(":scope > title").textContent.trim() ||
            !drawing.querySelector(":scope > desc").textContent.trim())
            say(name, "a drawing has no name or no words");
    for (const control of frame.querySelectorAll("button, select, input"))
        if (!control.textContent.trim() && !control.getAttribute("aria-label") && !control.closest("label"))
            say(name, `a ${control.tagName} has no name`);
}

async function check_page(page, width) {
    const frame = document.createElement("iframe"), name = `${page} at ${width} px`;
    frame.style = `width: ${width}px; height: 800px`;
    frame.src = page;
    await new Promise((done) => { frame.onload = done; document.body.append(frame); });
    const inside = frame.contentDocument, data = frame.contentWindow.warpstep.data;
    if (frame.contentWindow.performance.getEntriesByType("resource").length)
        say(name, "it fetches something");
    check_width(name, inside);
    check_content(name, inside, data);
    frame.remove();
}

addEventListener("load", async () => {
    try {
        for (const width of WIDTHS)
            for (const page of PAGES)
                await check_page(page, width);
    } catch (error) {
        say("check.js", error.stack);
    }
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const result = document.createElement("pre");
    result.textContent = faults.map((fault) => `fault ${fault}, ${scheme}\n`).join("") + `checked ${PAGES.length * WIDTHS.length}, ${scheme}\n`;
    document.body.replaceChildren(result);
});
