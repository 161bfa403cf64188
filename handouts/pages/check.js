// check.js - is every page fit to be read: opens each of PAGES in frames of the widths in WIDTHS, and writes what is wrong.
// Run by check.sh in headless Chromium, once for the light colours and once for the dark ones; "checked N" comes last.

const faults = [];
const say = (page, what) => faults.push(`${page}: ${what}`);

// ---- colours ----

const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
canvas.canvas.width = canvas.canvas.height = 1;
const known = new Map();

// Red, green, blue from 0 to 255, and how opaque, from 0 to 1.
function rgba(colour) {
    if (!known.has(colour)) {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
}

const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3])).concat(1);

function luminance(colour) {
    const [r, g, b] = colour.map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// As WCAG 2 defines it: 1 is invisible, 21 is black on white.
function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

// WCAG's level AA: 4.5, or 3 for large letters.
function needed(style) {
    const size = parseFloat(style.fontSize);
    return size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
}

function background(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement)
        layers.push(rgba(at.ownerDocument.defaultView.getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
}

// ---- a page ----

function check_text(name, frame) {
    const walk = frame.createTreeWalker(frame.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    let letters = 0;
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || seen.has(element) || !element.checkVisibility())
            continue;
        seen.add(element);
        letters += node.data.length;
        const style = frame.defaultView.getComputedStyle(element), below = background(element);
        const found = contrast(over(rgba(style.color), below), below);
        if (found < needed(style))
            say(name, `contrast ${found.toFixed(2)} of "${node.data.trim().slice(0, 30)}" (${element.tagName} ${element.className})`);
    }
    if (letters < 200)
        say(name, "it has no text");
}

// What is wider than the page, unless it scrolls in a box of its own.
function check_width(name, frame) {
    const root = frame.documentElement;
    if (root.scrollWidth <= root.clientWidth)
        return;
    const wide = [...frame.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 &&
        !e.parentElement.closest(".scroll, pre, .picture"));
    const what = wide.length ? `${wide[0].tagName} "${wide[0].textContent.trim().slice(0, 30)}"` : "something outside the text";
    say(name, `it is ${root.scrollWidth} px wide, because of ${what}`);
}

function check_links(name, frame, anchors) {
    for (const link of frame.querySelectorAll("a[href]")) {
        const [file, anchor] = link.getAttribute("href").split("#");
        if (/^[a-z]+:/.test(file) || file.startsWith("files/"))
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
    for (const element of frame.querySelectorAll("[src], link[href], script"))
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
