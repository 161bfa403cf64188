// check.js - is every page fit to be read: opens each of PAGES in frames of the widths in WIDTHS, and writes what is wrong.
// Run by check.sh in headless Chromium, once for the light colours and once for the dark ones; "checked N" comes last.

function check_links(name, frame, anchors) {
    for (const link of frame.querySelectorAll("a[href]")) {
        const [file, anchor] = link.getAttribute("href").split("#");
        if (/^[a-z]+:/.test(file) || file.startsWith("files/"))
            continue;
        if (PAPERS.includes(file))
            continue;
        const ids = anchors.get(file || name);
        if (!ids)
            say(name, `it links to ${file}, which is no page`);
        else if (anchor && !ids.has(decodeURIComponent(anchor)))
            say(name, `it links to #${anchor} of ${file || "itself"}, which is not there`);
    }
}

async function check_images(name, frame) {
    for (const image of frame.images) {
        await image.decode().catch(() => { });
        if (!image.naturalWidth)
            say(name, `the picture "${image.alt}" does not load`);
        if (!image.alt)
            say(name, "a picture has no words for those who cannot see it");
    }
    // Nothing may come from outside the page: it has to work alone.
    for (const element of frame.querySelectorAll("[src], link[href]"))
        if (!(element.getAttribute("src") ?? "").startsWith("data:"))
            say(name, `${element.tagName} is not part of the page`);
}

// ---- the letters in drawings ----

// A drawing is an image, closed to us: it is laid out once more, on the page's own paper, and each word held against what lies
// below its middle.
async function check_drawing(name, alt, source, paper) {
    const frame = document.createElement("iframe");
    frame.style = "width: 1000px; height: 1000px";
    frame.srcdoc = `<!doctype html><meta name="color-scheme" content="light dark"><style>body { margin: 0; background: ${paper} }</style>` +
        decodeURIComponent(source.slice(source.indexOf(",") + 1));
    await new Promise(done => { frame.onload = done; document.body.append(frame); });
    const inside = frame.contentDocument, view = frame.contentWindow;
    for (const word of inside.querySelectorAll("text, tspan")) {
        const at = word.getBoundingClientRect(), x = (at.left + at.right) / 2, y = (at.top + at.bottom) / 2;
        if (!word.childNodes[0] || word.childNodes[0].nodeType !== 3 || !word.textContent.trim())
            continue;
        view.scrollTo(0, y - 500);
        const below = inside.elementsFromPoint(x, y - view.scrollY)
            .filter(e => /^(rect|circle|polygon|path|body)$/i.test(e.tagName)).reverse()
            .reduce((under, e) => {
                const style = view.getComputedStyle(e), fill = e === inside.body ? style.backgroundColor : style.fill;
                return fill === "none" ? under : over(rgba(fill), under);
            }, [255, 255, 255, 1]);
        const found = contrast(over(rgba(view.getComputedStyle(word).fill), below), below);
        if (found < 4.5)
            say(name, `contrast ${found.toFixed(2)} of "${word.textContent.trim().slice(0, 30)}" in the drawing "${alt.slice(0, 40)}"`);
    }
    frame.remove();
}

// ---- all pages ----

async function open_page(page, width) {
    const frame = document.createElement("iframe");
    frame.style = `width: ${width}px; height: 800px`;
    frame.src = page;
    await new Promise(done => { frame.onload = done; document.body.append(frame); });
    return frame;
}

async function check_all() {
    const anchors = new Map(), drawings = new Map();
    for (const page of PAGES) {
        const frame = await open_page(page, WIDTHS[0]);
        anchors.set(page, new Set([...frame.contentDocument.querySelectorAll("[id]")].map(e => e.id)));
        frame.remove();
    }
    for (const width of WIDTHS)
        for (const page of PAGES) {
            const frame = await open_page(page, width), inside = frame.contentDocument, name = `${page} at ${width} px`;
            inside.querySelectorAll("main details").forEach(e => e.open = true);
            check_width(name, inside);
            check_text(name, inside);
            await check_images(name, inside);
            if (width === WIDTHS[0])
                check_links(page, inside, anchors);
            for (const image of inside.images)
                if (!drawings.has(image.src)) {
                    drawings.set(image.src, page);
                    await check_drawing(page, image.alt, image.src, getComputedStyle.call(frame.contentWindow, inside.body).backgroundColor);
                }
            // The menu of a narrow page, opened.
            inside.querySelectorAll(".menu").forEach(e => e.open = true);
            check_width(name + ", menu open", inside);
            frame.remove();
        }
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const result = document.createElement("pre");
    result.textContent = faults.map(f => `fault ${f}, ${scheme}\n`).join("") +
        `checked ${PAGES.length * WIDTHS.length} pages and ${drawings.size} drawings, ${scheme}\n`;
    document.body.replaceChildren(result);
    document.title = "done";
}

addEventListener("load", () => check_all().catch(error => { document.body.textContent = `fault check.js: ${error.stack}`; }));
