"use strict";

// How a quantity of calls is spread: bars for its buckets, each twice as wide as the one
// before. Their height is by the logarithm of the calls in them, their colour by the share of
// all that is in them. All drawings of a page have one axis, so that they can be compared.

const spreadWidth = 320;
const spreadBars = 54; // height of the highest bar
const spreadHeight = spreadBars + 16; // with the scale

// A measure is a quantity that calls have buckets of:
//
//	key, title, about
//	list(f)              its buckets in some figures, null where it was not measured: k, count, sum
//	low(k), high(k)      a bucket's bounds
//	write(v), whole(v)   a number of it, and one that is known to be whole
//	marks                numbers that the scale may have, each with its name
//	place(v)             where in buckets a number is
const timeMeasure = {
	key: "time", title: "time of a call", share: "time",
	list: (f) => (f?.timed ? buckets(f) : null),
	low: lowOf, high: highOf, write: duration, whole: wholeDuration,
	marks: ["ns", "µs", "ms"].flatMap((unit, i) => [1, 10, 100].map((n, k) => [10 ** (3 * i + k), n + unit]))
		.concat([[1e9, "1s"], [1e10, "10s"], [1e11, "100s"], [3.6e12, "1h"], [8.64e13, "1d"]]),
	place: (ns) => Math.log2(ns),
};

// memoryMeasure is of the bytes that a call allocates.
function memoryMeasure(report) {
	const sizes = ["B", "KiB", "MiB", "GiB", "TiB"].flatMap((unit, i) => [1, 4, 16, 64, 256].map((n, k) => [4 ** (5 * i + k), n + unit]));
	return {
		key: "memory", share: "memory",
		title: report.memory === "alloc" ? "memory allocated in a call" : "memory allocated by the process during a call",
		list: (f) => f?.memory?.buckets ?? null,
		low: (k) => (k === 0 ? 0 : 2 ** (k - 1)), high: (k) => 2 ** k, write: memory, whole: (v) => memory(Number(v)),
		marks: [[0, "0"], ...sizes.filter(([v]) => v >= 16)],
		place: (bytes) => (bytes === 0 ? 0 : Math.log2(bytes) + 1),
	};
}

// axisFor is the axis for all functions; null where none has the quantity.
function axisFor(measure, functions) {
	let [low, high] = [Infinity, -Infinity];
	for (const { row } of functions) {
		for (const f of [row.now, row.before]) {
			const list = measure.list(f) ?? [];
			if (list.length > 0) {
				low = Math.min(low, list[0].k);
				high = Math.max(high, list.at(-1).k);
			}
		}
	}
	if (low > high) {
		return null;
	}
	const room = Math.max(0, 12 - (high - low)); // a few buckets are no wider than that
	low = Math.max(0, low - Math.floor(room / 2));
	high = Math.max(high, low + 12);
	const cell = spreadWidth / (high - low + 1);
	return { low, high, cell, x: (place) => (place - low) * cell };
}

// drawSpread draws the buckets of a row. There are some on one side at least.
function drawSpread(measure, axis, row) {
	const [now, before] = [measure.list(row.now) ?? [], measure.list(row.before) ?? []];
	const most = Math.max(...[...now, ...before].map((b) => Number(b.count)));
	const height = (b) => Math.max(2.5, (spreadBars * (1 + Math.log10(Number(b.count)))) / (1 + Math.log10(most)));
	const all = Number(sumWhole(now.map((b) => b.count)));
	const sum = Number(sumWhole(now.map((b) => b.sum)));
	const colors = grey ? now.map(plainBars) : warmth(now);
	const gap = Math.min(1.5, axis.cell / 5);
	const bars = now.map((b, i) => svg("rect", {
		x: axis.x(b.k).toFixed(2), y: (spreadBars - height(b)).toFixed(2), width: (axis.cell - gap).toFixed(2), height: height(b).toFixed(2), fill: colors[i],
	}, svg("title", null, `${boundsOf(measure, b.k)}: ${plural(b.count, "call")}, ${percent(Number(b.count) / all)}; ${measure.whole(b.sum)}` +
		(sum > 0 ? `, ${percent(Number(b.sum) / sum)} of the ${measure.share}` : ""))));
	const outlines = before.map((b) => svg("rect", {
		class: "before", x: (axis.x(b.k) + 0.5).toFixed(2), y: (spreadBars - height(b)).toFixed(2), width: (axis.cell - gap - 1).toFixed(2), height: height(b).toFixed(2),
	}));
	return svg("svg", {
		class: "bars", viewBox: `0 0 ${spreadWidth} ${spreadHeight}`, role: "img", "aria-label": spreadInWords(measure, now),
	}, svg("rect", { class: "tick", x: 0, y: spreadBars, width: spreadWidth, height: 1 }), bars, outlines, scaleOf(measure, axis));
}

// scaleOf names as many numbers below the bars as there is room for: each so many of its measure's marks.
function scaleOf(measure, axis) {
	const marks = measure.marks.map(([v, name], i) => {
		const x = axis.x(measure.place(v));
		const width = 6 * name.length;
		const left = Math.min(Math.max(x - width / 2, 0), spreadWidth - width); // inside the drawing
		return { i, name, x, left, right: left + width };
	}).filter(({ x }) => x >= 0 && x <= spreadWidth);
	let list = marks;
	for (let step = 2; list.some((m, k) => k > 0 && m.left < list[k - 1].right + 10); step++) {
		list = marks.filter(({ i }) => i % step === 0);
	}
	return list.flatMap(({ name, x, left, right }) => [
		svg("rect", { class: "tick", x: x.toFixed(2), y: spreadBars, width: 1, height: 4 }),
		svg("text", { x: ((left + right) / 2).toFixed(2), y: spreadBars + 13, "text-anchor": "middle" }, name),
	]);
}

// boundsOf says what belongs into a bucket.
function boundsOf(measure, k) {
	return measure.high(k) - measure.low(k) > 1 ? `${measure.write(measure.low(k))} – ${measure.write(measure.high(k))}` : measure.whole(measure.low(k));
}

// spreadInWords says what a drawing shows to who can't see it.
function spreadInWords(measure, list) {
	if (list.length === 0) {
		return `${measure.title}: none`;
	}
	const most = list.reduce((a, b) => (Number(b.count) > Number(a.count) ? b : a));
	return `${measure.title}: most calls, ${count(most.count)} of ${count(sumWhole(list.map((b) => b.count)))}, have ${boundsOf(measure, most.k)}; ` +
		`from ${measure.write(measure.low(list[0].k))} to ${measure.write(measure.high(list.at(-1).k))}`;
}
