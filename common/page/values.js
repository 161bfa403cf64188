// values.js - numbers as people read them.

function number(value) {
    if (value == null || !isFinite(value))
        return "–";
    const size = Math.abs(value);
    if (size >= 1e12 || (size && size < 1e-3))
        return value.toExponential(2);
    return value.toLocaleString("en", {maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 2});
}

function percent(part) {
    return number(100 * part) + " %";
}

function microseconds(us) {
    return us >= 1e4 ? number(us / 1e3) + " ms" : number(us) + " µs";
}

function bytes(count) {
    const units = ["bytes", "KB", "MB", "GB"];
    let i = 0;
    for (; count >= 1e4 && i < 3; i++)
        count /= 1e3;
    return number(count) + " " + units[i];
}

function sum(list) {
    return list.reduce((all, one) => all + one, 0);
}

function plural(count, word) {
    return `${number(count)} ${word}${count === 1 ? "" : "s"}`;
}

// "0 to 7, 16": of lanes in order.
function ranges(list) {
    const parts = [];
    for (let i = 0; i < list.length;) {
        let end = i;
        while (end + 1 < list.length && list[end + 1] === list[end] + 1)
            end++;
        parts.push(end > i + 1 ? `${list[i]} to ${list[end]}` : end > i ? `${list[i]}, ${list[end]}` : `${list[i]}`);
        i = end + 1;
    }
    return parts.join(", ");
}

function fileName(path) {
    return path.replace(/^.*\//, "");
}

function size(dim) {
    return dim.slice(0, dim[2] > 1 ? 3 : dim[1] > 1 ? 2 : 1).join(" x ");
}
