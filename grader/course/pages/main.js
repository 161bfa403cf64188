// main.js - which page it is, from the JSON in the element "data".

function contents(root) {
    return el("nav", {"aria-label": "contents"}, [...root.querySelectorAll("section > h2")].map((head) => el("a", {href: "#" + head.id}, head.textContent)));
}

function build(data) {
    const root = document.getElementById("page"), parts = {class: classPage, student: studentPage, board: boardPage, similar: similarPage}[data.kind](data);
    root.replaceChildren(...parts.flat(Infinity).filter((one) => one));
    root.querySelector("h1").after(contents(root));
    window.warpstep = {data};
}

build(JSON.parse(document.getElementById("data").textContent));
