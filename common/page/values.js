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

// Times are in microseconds wherever they stand: numbers that are to be compared have one unit.
function microseconds(us) {
    return us.toLocaleString("en", {maximumFractionDigits: us >= 1000 ? 0 : us >= 100 ? 1 : 2}) + " µs";
}

// Sizes, as CUDA takes them.
function bytes(count) {
    return `${count.toLocaleString("en")} byte${count === 1 ? "" : "s"}`;
}

// What moves between memories has one unit on a page: the largest amount decides which.
const AMOUNTS = [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "bytes"]];
let amountUnit = AMOUNTS[1];

function setAmountUnit(largest) {
    amountUnit = AMOUNTS.find(([each]) => largest >= 10 * each) || AMOUNTS.at(-1);
}

function amount(count) {
    const [each, name] = amountUnit, value = count / each;
    return `${value && value < 0.01 ? "< 0.01" : value.toLocaleString("en", {maximumFractionDigits: value >= 1000 ? 0 : value >= 100 ? 1 : 2})} ${name}`;
}

// As the terminal writes it: "1337.52 us".
function withMicro(text) {
    return text.replace(/(\d) us\b/g, "$1 µs");
}

// "1.08x"
function times(factor) {
    return factor.toFixed(2) + "x";
}

function rate(count, us) {
    return `${number(count / us * 1e-3)} GB/s`;
}

// 2,097,152 as 2.10 M.
function short(count) {
    const [each, name] = [[1e9, " G"], [1e6, " M"], [1e3, " K"]].find(([one]) => count >= 10 * one || (one >= 1e6 && count >= one)) || [1, ""];
    return each === 1 ? number(count) : (count / each).toLocaleString("en", {maximumSignificantDigits: 3}) + name;
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
