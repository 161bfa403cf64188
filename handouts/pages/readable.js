// readable.js - can a page be read: do its letters stand out, and is nothing wider than it? For the handouts (check.js) and for
// the pages that the kit writes (common/page/tests).

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
