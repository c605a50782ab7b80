"use strict";

// Numbers are written as in the text report (report/units.go). Whole numbers past 2^53
// come as strings, since a number here would lose digits; none of what is shown may.

// none stands for what was not measured.
const none = "-";

// count writes a whole number with a comma between groups of three digits.
function count(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

// plural writes how many of something there are.
function plural(n, noun) {
	return count(n) + " " + noun + (n === 1 ? "" : "s");
}

// duration writes a time with three significant digits: 0.45ns, 12.3µs, 2m05s.
function duration(ns) {
	if (ns >= 59.95e9) {
		return longDuration(ns);
	}
	for (const [unit, name] of [[1, "ns"], [1e3, "µs"], [1e6, "ms"]]) {
		if (ns / unit < 999.5) {
			return significant(ns / unit) + name;
		}
	}
	return significant(ns / 1e9) + "s";
}

// wholeDuration is duration for a time that is known in whole nanoseconds.
function wholeDuration(ns) {
	return Number(ns) < 1000 ? ns + "ns" : duration(Number(ns));
}

// measured is duration for a mean or a percentile: what would be 0.00ns is less than the clock's smallest step.
function measured(ns, quantum) {
	const text = duration(ns);
	return text === "0.00ns" ? "<" + wholeDuration(Math.max(1, Math.round(quantum))) : text;
}

// longDuration writes the two largest units of a time of a minute or more.
function longDuration(ns) {
	const s = Math.round(ns / 1e9);
	const two = (n) => String(n).padStart(2, "0");
	if (s < 3600) {
		return Math.floor(s / 60) + "m" + two(s % 60) + "s";
	}
	if (s < 100 * 3600) {
		return Math.floor(s / 3600) + "h" + two(Math.floor(s / 60) % 60) + "m";
	}
	return Math.floor(s / 86400) + "d" + two(Math.floor(s / 3600) % 24) + "h";
}

// significant writes a number below 1000 with three significant digits, but no more
// than two after the point.
function significant(v) {
	return fixed(v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
}

// fixed writes a number with so many digits after the point. toFixed takes the larger
// of two that are equally near, Go the even one.
function fixed(v, digits) {
	const exact = v.toFixed(40);
	const cut = exact.indexOf(".") + 1 + digits;
	const tie = /^50*$/.test(exact.slice(cut)) && "02468".includes(exact.slice(0, cut).replace(/\.$/, "").at(-1));
	return tie ? exact.slice(0, cut).replace(/\.$/, "") : v.toFixed(digits);
}

// exactly writes a time in full: a whole number of ns, or one with its fraction.
function exactly(ns) {
	const [whole, part] = String(ns).split(".");
	return count(whole) + (part ? "." + part.slice(0, 3) : "") + " ns";
}

// percent writes a share of something.
function percent(share) {
	const p = 100 * share;
	return (p !== 0 && p < 0.1 ? "<0.1" : p > 99.9 && p < 100 ? ">99.9" : p.toFixed(p < 9.95 ? 1 : 0)) + "%";
}

// signedPercent writes a change; what has more than tripled is written as a multiple.
function signedPercent(change) {
	if (change >= 2) {
		return "×" + significant(Math.min(change + 1, 999));
	}
	const text = (100 * change).toFixed(1);
	return (text === "0.0" || text === "-0.0" ? "±0" : (change > 0 ? "+" : "−") + text.replace("-", "")) + "%";
}

// relative is a standard error as a part of what it is one of.
function relative(se, of) {
	if (se === null || of === 0) {
		return none;
	}
	return se === 0 ? "0" : fixed((100 * se) / of, 1) + "%";
}

// memory writes a number of bytes with three significant digits: 16B, 1.21KiB.
function memory(bytes) {
	if (bytes < 1023.5) {
		return (Number.isInteger(bytes) ? bytes : significant(bytes)) + "B";
	}
	for (const [unit, name] of [[2 ** 10, "KiB"], [2 ** 20, "MiB"], [2 ** 30, "GiB"]]) {
		if (bytes / unit < 999.5) {
			return significant(bytes / unit) + name;
		}
	}
	return significant(Math.min(bytes / 2 ** 40, 999_999)) + "TiB";
}

// amount writes a number in the unit that its name ends in.
function amount(name, n) {
	return name.endsWith("_ns") ? wholeDuration(n) : count(n);
}

// exactAmount is amount in full.
function exactAmount(name, n) {
	return name.endsWith("_ns") ? exactly(n) : count(n);
}

// amountMean is amount for a number that need not be whole.
function amountMean(name, v) {
	if (name.endsWith("_ns")) {
		return duration(v);
	}
	return v < 999.5 ? significant(v) : count(BigInt(Math.round(v)));
}

// compareWhole orders whole numbers, digit by digit where they are too large for less.
function compareWhole(a, b) {
	const difference = Number(a) - Number(b);
	if (difference !== 0 || (typeof a === "number" && typeof b === "number")) {
		return difference;
	}
	const [x, y] = [BigInt(a), BigInt(b)];
	return x < y ? -1 : x > y ? 1 : 0;
}

// sumWhole adds whole numbers up.
function sumWhole(list) {
	let sum = 0n;
	for (const n of list) {
		sum += BigInt(n);
	}
	return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : String(sum);
}
