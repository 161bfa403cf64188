// tables.js - names, and tables that are sorted by their heads and filtered by words.

// A name is nobody's markup, and its direction is its own.
function person(student) {
    const name = el("bdi", {}, student.name);
    return student.page ? el("a", {href: "pages/" + encodeURIComponent(student.page)}, name) : name;
}

function people(students) {
    return students.flatMap((one, i) => i ? [", ", person(one)] : [person(one)]);
}

// Some by name; many behind a line that opens.
function peopleFolded(students) {
    return students.length <= 4 ? el("span", {}, people(students))
        : el("details", {}, el("summary", {}, plural(students.length, "student")), people(students));
}

// columns: {head, class, value: row -> what it is sorted by, cell: row -> what is shown}. Texts sort as texts, nothing comes last.
function compareBy(column, isDown) {
    const rank = (value) => value == null || value === "";
    return (a, b) => {
        const one = column.value(a), other = column.value(b);
        if (rank(one) || rank(other))
            return rank(one) - rank(other);
        const order = typeof one === "number" ? one - other : String(one).localeCompare(String(other), "en", {numeric: true});
        return isDown ? -order : order;
    };
}

function sortableTable(columns, rows, id) {
    let sorted = -1, isDown = false, wanted = () => true;
    const body = el("tbody"), heads = columns.map((column, i) => el("th", {class: column.class, scope: "col"},
        el("button", {class: "head", onclick: () => { isDown = sorted === i ? !isDown : Boolean(column.isDownFirst); sorted = i; show(); }}, column.head)));
    const drawn = new Map(rows.map((row) => [row, el("tr", {}, columns.map((column) => el("td", {class: column.class}, column.cell(row))))]));
    const show = () => {
        const order = sorted < 0 ? rows : [...rows].sort(compareBy(columns[sorted], isDown));
        heads.forEach((head, i) => i === sorted ? head.setAttribute("aria-sort", isDown ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
        body.replaceChildren(...order.filter(wanted).map((row) => drawn.get(row)));
        return body.rows.length;
    };
    show();
    return {node: el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": id}, el("table", {id}, el("thead", {}, el("tr", {}, heads)), body)),
        filter: (is) => { wanted = is; return show(); }};
}
