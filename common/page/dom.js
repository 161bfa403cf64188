// dom.js - elements and text. Whatever comes from the data is set as text, never as markup.

function el(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (key.startsWith("on"))
            node.addEventListener(key.slice(2), value);
        else if (value !== false && value != null)
            node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter((child) => child != null).map((child) =>
        child instanceof Node ? child : String(child)));
    return node;
}

// New children instead of the old; null is none.
function fill(node, ...children) {
    node.replaceChildren(...children.filter((child) => child != null));
}

function svg(name, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes || {}))
        node.setAttribute(key, value);
    node.append(...children.flat(Infinity).filter((child) => child != null).map((child) =>
        child instanceof Node ? child : String(child)));
    return node;
}

// A drawing with a name and a description, for those who do not see it.
let drawings = 0;
function drawing(width, height, name, description, ...children) {
    const id = "drawing" + ++drawings;
    return svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": `${id}t ${id}d`, width},
        svg("title", {id: id + "t"}, name), svg("desc", {id: id + "d"}, description), children);
}

let sections = 0;
function section(title, ...children) {
    const id = "section" + ++sections;
    return el("section", {"aria-labelledby": id, id: id + "s"}, el("h2", {id}, title), children);
}

// A section that takes so many of the six columns of a wide screen.
function wide(columns, part) {
    part.classList.add(`w${columns}`);
    return part;
}

function table(heads, rows, classes) {
    const cell = (name, text, i) => text instanceof Node && text.tagName === "TD" ? text
        : el(name, {class: classes ? classes[i] : null, scope: name === "th" ? "col" : null}, text);
    return el("div", {class: "scroll"}, el("table", {},
        el("thead", {}, el("tr", {}, heads.map((head, i) => cell("th", head, i)))),
        el("tbody", {}, rows.map((row) => row instanceof Node ? row : el("tr", {}, row.map((text, i) => cell("td", text, i)))))));
}

function choice(label, options, value, onchange) {
    return el("label", {}, label + " ", el("select", {onchange: (event) => onchange(event.target.value)},
        options.map(([key, text]) => el("option", {value: key, selected: String(key) === String(value)}, text))));
}
