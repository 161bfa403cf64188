// stats.js - what a list of numbers amounts to. Nothing here draws.

// Between neighbours where it falls between them; NaN of nothing.
function quantile(values, part) {
    const sorted = [...values].sort((a, b) => a - b), at = (sorted.length - 1) * part, low = Math.floor(at);
    return sorted.length ? sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low) : NaN;
}

function median(values) {
    return quantile(values, 0.5);
}

function mean(values) {
    return values.length ? sum(values) / values.length : NaN;
}

// [[key, items]...], the longest list first; equal ones by key.
function grouped(items, key) {
    const groups = new Map();
    for (const item of items)
        groups.set(key(item), [...(groups.get(key(item)) || []), item]);
    return [...groups].sort((a, b) => b[1].length - a[1].length || (String(a[0]) < String(b[0]) ? -1 : 1));
}

// A round step that parts 0 to most into at most so many.
function roundStep(most, parts) {
    const least = most / parts, power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= least * 0.9999);
}

// "2 days", "3 hours", "12 minutes": begun ones count.
function duration(seconds) {
    const [size, word] = [[86400, "day"], [3600, "hour"], [60, "minute"]].find(([one]) => seconds > 2 * one) || [60, "minute"];
    return plural(Math.ceil(seconds / size), word);
}

function gpuWords(one) {
    return one.backend === "gpu" ? one.gpu : `the virtual GPU as ${one.gpu}`;
}
