// export.js - what export.sh has written, read by node: the same points for everybody in every format. export.js FOLDER
"use strict";
const fs = require("fs"), path = require("path"), assert = require("assert");
const folder = process.argv[2];
const read = name => new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(path.join(folder, name)));

function table(text) { // RFC 4180
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
        rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
        if (end === "\n") rows.push([]);
    }
    rows.pop();
    assert(rows.every(row => row.length === rows[0].length));
    return rows;
}
const objects = rows => rows.slice(1).map(row => Object.fromEntries(row.map((cell, i) => [rows[0][i], cell])));

const all = objects(table(read("csv")));
const graded = all.filter(one => one.points !== "");
assert.strictEqual(all.filter(one => one.status === "error" && one.points !== "").length, 0);
const total = one => Number(one.points) + Number(one.bonus);
const most = Number(all[0].max);
const capped = one => Math.min(total(one), most);

const canvas = table(read("canvas")).slice(2), moodle = objects(table(read("moodle")));
all.forEach((one, i) => {
    assert.strictEqual(canvas[i][5], one.points === "" ? "" : String(total(one)));
    assert.strictEqual(moodle[i].Grade, one.points === "" ? "" : String(capped(one)));
});

const last = text => JSON.parse(text.trimEnd().split("\n").at(-1));
const scores = {
    gradescope: [text => JSON.parse(text).score, total],
    autolab: [text => Object.values(last(text).scores).reduce((a, b) => a + b, 0), total],
    classroom50: [text => JSON.parse(text).score, capped],
    prairielearn: [text => Math.round(JSON.parse(text).score * most), capped],
    lti: [text => JSON.parse(text).scoreGiven, total],
};
for (const [format, [score, expected]] of Object.entries(scores)) {
    const index = objects(table(read(format + "/index.csv")));
    assert.deepStrictEqual(index.map(row => row.student), graded.map(one => one.student));
    index.forEach((row, i) => assert.strictEqual(score(read(format + "/" + row.file)), expected(graded[i]), format + " " + row.student));
}
