"use strict";

// The distribution of a marker's times: in the table as a strip, in the panel as a
// chart. Both have the buckets from left to right, each twice as long as the one
// before. Colour says how much of the marker's time is in a bucket, its strength how
// many of the scopes.

const stripCell = 6; // width of a bucket in a strip, pixels
const stripHeight = 14;

// stripColumn is the column of strips, all on the same axis.
function stripColumn(report) {
	let [low, high] = [63, 0];
	for (const row of report.rows) {
		for (const f of [row.now, row.before]) {
			for (let i = f?.start ?? 0; i < (f?.end ?? 0); i++) {
				low = Math.min(low, f.columns.k[i]);
				high = Math.max(high, f.columns.k[i]);
			}
		}
	}
	high = Math.max(high, low + 9); // room for the head
	const axis = { low, high, width: (high - low + 1) * stripCell };
	return {
		key: "strip", title: "times", about: "buckets of scopes' times, each twice as long as the one before. " +
			(report.compared ? "Above the old ones, below the new; strength: scopes" : "Colour: share of the marker's time; strength: scopes"),
		width: axis.width + 16 + "px",
		head: ticks(axis, true),
		value: () => null,
		cell: (row) => strip(row, axis, report.compared),
		exact: () => null,
	};
}

// ticks marks the units of time that are on the axis.
function ticks({ low, high, width }, named) {
	const marks = [];
	for (const [ns, name] of [[1, "1ns"], [1e3, "1µs"], [1e6, "1ms"], [1e9, "1s"], [3.6e12, "1h"]]) {
		const x = (Math.log2(ns) - low) * stripCell;
		if (Math.log2(ns) < low || Math.log2(ns) > high + 1) {
			continue;
		}
		marks.push(svg("rect", { class: "tick", x: x.toFixed(1), y: 0, width: 1, height: stripHeight }));
		if (named && x < width - 22) {
			marks.push(svg("text", { x: (x + 3).toFixed(1), y: 11 }, name));
		}
	}
	return svg("svg", { class: "axis", width, height: stripHeight, role: "img", "aria-label": "distribution of times" }, marks);
}

function strip(row, axis, compared) {
	const drawing = svg("svg", { width: axis.width, height: stripHeight, "aria-hidden": "true" }, [...ticks(axis, false).children]);
	const sides = compared ? [[row.before, 0, 6], [row.now, 7, 7]] : [[row.now, 1, 12]];
	for (const [f, y, height] of sides) {
		if (!f?.timed) {
			continue;
		}
		const list = buckets(f);
		const colors = warmth(list);
		list.forEach((b, i) => drawing.append(svg("rect", {
			x: (b.k - axis.low) * stripCell, y, width: stripCell - 1, height, fill: colors[i],
		})));
	}
	return drawing;
}

// Histogram is the chart in the panel. Its scale and what is counted stay as they were
// chosen when another marker is opened.
class Histogram {
	constructor() {
		this.by = "count"; // or "sum"
		this.scale = "logarithmic"; // or "linear"
		this.chart = null;
	}

	// element makes the chart of a row, or of one of its paths: [new, old] are its buckets.
	element(row, path) {
		this.close();
		this.row = row;
		[this.now, this.before] = path ?? [row.now, row.before].map((f) => (f?.timed ? buckets(f) : []));
		const ks = [...this.now, ...this.before].map((b) => b.k);
		this.low = Math.max(0, Math.min(...ks) - 1);
		this.high = Math.min(63, Math.max(...ks) + 1);
		this.canvas = element("canvas", { role: "img", "aria-label": this.inWords() });
		return element("div", { class: "histogram" },
			element("div", { class: "choices" },
				this.choice("by", "count", "scopes"), this.choice("by", "sum", "time"),
				element("span", { class: "gap" }),
				this.choice("scale", "logarithmic", "log"), this.choice("scale", "linear", "linear")),
			element("div", { class: "canvas" }, this.canvas),
			this.legend(),
			this.asTable());
	}

	choice(what, value, title) {
		const group = what === "by" ? "height: " : "scale: ";
		return element("button", {
			type: "button", "aria-pressed": String(this[what] === value), "aria-label": group + title,
			click: (event) => {
				this[what] = value;
				for (const other of event.target.parentElement.querySelectorAll(`[aria-label^="${group}"]`)) {
					other.setAttribute("aria-pressed", String(other === event.target));
				}
				this.draw();
			},
		}, title);
	}

	legend() {
		return grey ? sidesLegend() : element("p", { class: "legend" }, "share of time 0", heatLegend(), "100%; strong: many scopes");
	}

	// inWords says what the chart shows to who can't see it.
	inWords() {
		const most = this.now.reduce((a, b) => (Number(b.count) > Number(a?.count ?? 0) ? b : a), null);
		return most === null ? "no times" : `distribution of times: most scopes, ${count(most.count)} of ${count(sumWhole(this.now.map((b) => b.count)))}, took ${rangeOf(most.k)}`;
	}

	// asTable is the same in numbers.
	asTable() {
		const line = (side, list) => {
			const all = Number(sumWhole(list.map((b) => b.count)));
			const time = Number(sumWhole(list.map((b) => b.sum)));
			return list.map((b) => element("tr", null,
				this.before.length > 0 && element("td", { class: "left" }, side),
				element("th", { scope: "row" }, rangeOf(b.k)),
				element("td", null, count(b.count)),
				element("td", null, percent(Number(b.count) / all)),
				element("td", { title: exactly(b.sum) }, wholeDuration(b.sum)),
				element("td", null, time > 0 ? percent(Number(b.sum) / time) : none)));
		};
		return element("details", { class: "buckets" },
			element("summary", null, "buckets in numbers"),
			element("table", null,
				element("thead", null, element("tr", null,
					this.before.length > 0 && element("th", { scope: "col" }, ""),
					["time of a scope", "scopes", "", "time", ""].map((t) => element("th", { scope: "col" }, t)))),
				element("tbody", null, line("old", this.before), line("new", this.now))));
	}

	// draw draws the chart on its canvas, which has to be in the page.
	draw() {
		this.chart?.destroy();
		const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
		const [text, line] = ["--faint", "--line"].map(colorOf);
		const ks = Array.from({ length: this.high - this.low + 1 }, (_, i) => this.low + i);
		const values = (list) => ks.map((k) => Number(list.find((b) => b.k === k)?.[this.by] ?? 0) || null);
		const colors = grey ? this.now.map(plainBars) : warmth(this.now);
		const color = ks.map((k) => colors[this.now.findIndex((b) => b.k === k)] ?? "transparent");
		const bars = { grouped: false, barPercentage: 1, categoryPercentage: 0.94, minBarLength: 2 };
		const datasets = [{ ...bars, label: "new", data: values(this.now), backgroundColor: color, hoverBackgroundColor: color, order: 2 }];
		if (this.before.length > 0) {
			datasets.unshift({ // in front: what is new is seen through it
				...bars, label: "old", data: values(this.before), backgroundColor: "transparent", hoverBackgroundColor: "transparent",
				borderColor: colorOf("--ink"), hoverBorderColor: colorOf("--ink"), borderWidth: 1.5, borderSkipped: "bottom", order: 1,
			});
		}
		const font = { family: ink("--words"), size: 11 };
		this.chart = new Chart(this.canvas, {
			type: "bar",
			data: { labels: ks.map((k) => duration(lowOf(k))), datasets },
			options: {
				animation: false,
				maintainAspectRatio: false,
				interaction: { mode: "index", intersect: false },
				scales: {
					x: {
						grid: { display: false }, border: { color: line }, ticks: { color: text, font, maxRotation: 0, autoSkipPadding: 10 },
						title: { display: true, text: "time of a scope, from", color: text, font },
					},
					y: {
						type: this.scale,
						min: this.scale === "linear" ? 0 : this.by === "count" ? 0.5 : undefined,
						suggestedMax: 1.3 * Math.max(...[...this.now, ...this.before].map((b) => Number(b[this.by]))),
						grid: { color: line }, border: { display: false },
						ticks: { color: text, font, maxTicksLimit: 6, callback: (v) => this.tick(v) },
						title: { display: true, text: this.by === "count" ? "scopes" : "time", color: text, font },
					},
				},
				plugins: { legend: { display: false }, tooltip: { displayColors: false, callbacks: this.tooltip(ks) } },
			},
		});
	}

	// tick names a line of the grid: of a logarithmic scale the powers of ten, of
	// scopes whole numbers.
	tick(v) {
		if (this.scale === "logarithmic" && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) > 1e-9) {
			return null;
		}
		if (this.by === "sum") {
			return duration(v);
		}
		return Number.isInteger(v) ? short(v) : null;
	}

	tooltip(ks) {
		const line = (list, k) => {
			const b = list.find((b) => b.k === k);
			if (!b) {
				return "no scopes";
			}
			const all = Number(sumWhole(list.map((b) => b.count)));
			const time = Number(sumWhole(list.map((b) => b.sum)));
			return `${count(b.count)} scopes, ${percent(Number(b.count) / all)}; ${wholeDuration(b.sum)}` +
				(time > 0 ? `, ${percent(Number(b.sum) / time)} of the time` : "");
		};
		return {
			title: (items) => rangeOf(ks[items[0].dataIndex]),
			label: (item) => (this.before.length > 0 ? item.dataset.label + ": " : "") + line(item.dataset.label === "new" ? this.now : this.before, ks[item.dataIndex]),
		};
	}

	close() {
		this.chart?.destroy();
		this.chart = null;
	}
}

// heatLegend is the scale of heat.
function heatLegend() {
	const scale = element("span", { class: "scale", "aria-hidden": "true" });
	scale.style.background = heatScale;
	return scale;
}

// sidesLegend says which bars are which where two profiles are in one chart, followed by notes.
function sidesLegend(...notes) {
	const fill = element("span", { class: "fill", "aria-hidden": "true" });
	fill.style.background = plainBars();
	return element("p", { class: "legend" }, element("span", { class: "outline", "aria-hidden": "true" }), "old", fill, "new, behind it", notes);
}

// rangeOf says which times belong into bucket k.
function rangeOf(k) {
	return `${duration(lowOf(k))} – ${duration(highOf(k))}`;
}

// short writes a whole number for the scale of a chart.
function short(n) {
	for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
		if (n >= unit) {
			return +(n / unit).toFixed(1) + name;
		}
	}
	return String(n);
}
