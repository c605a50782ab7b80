"use strict";

// A DetailPanel shows all that is known of one marker.
class DetailPanel {
	// section is where it is shown, split the line above it, which moves.
	constructor(section, split, views, onClose) {
		Object.assign(this, { section, split, views, report: views.report, onClose });
		this.histogram = new Histogram();
		this.movable();
	}

	// movable makes the panel higher and lower as the line above it is dragged, or moved by arrow keys.
	movable() {
		const { section, split } = this;
		const resize = (height) => {
			const most = 0.8 * innerHeight;
			height = Math.round(Math.max(Math.min(120, most), Math.min(height, most)));
			section.style.height = height + "px";
			split.setAttribute("aria-valuenow", Math.round((100 * height) / innerHeight));
		};
		split.addEventListener("pointerdown", (event) => {
			split.setPointerCapture(event.pointerId);
			event.preventDefault();
		});
		split.addEventListener("pointermove", (event) => {
			if (split.hasPointerCapture(event.pointerId)) {
				resize(section.getBoundingClientRect().bottom - event.clientY);
			}
		});
		split.addEventListener("keydown", (event) => {
			const step = { ArrowUp: 40, ArrowDown: -40 }[event.key];
			if (step) {
				event.preventDefault();
				resize(section.offsetHeight + step);
			}
		});
	}

	show(row) {
		const { report } = this;
		const timed = row.now?.timed || row.before?.timed;
		const aside = [sourceOf(row, report), pathsOf(row, this.views), this.callers(row), this.sizes(row), this.readings(row)].filter((part) => part);
		this.section.replaceChildren(
			element("div", { class: "bar" },
				element("h2", { id: "detail-name" }, row.name),
				element("span", { class: "what" }, row.kind + ", ", placeLink(row, row.line, row.place), row.guess ? "; compared by " + guessText : ""),
				element("code", { title: "ID of the marker" }, row.id),
				navigator.clipboard && element("button", { type: "button", class: "copy", click: () => navigator.clipboard.writeText(row.name) }, "copy name"),
				element("button", { type: "button", class: "close", "aria-label": "close", click: () => this.onClose() }, "×")),
			element("div", { class: aside.length > 0 ? "parts" : "parts few" },
				element("div", { class: "measured" },
					this.figures(row),
					timed ? this.histogram.element(row, timesOnPath(row, this.views)) : element("p", { class: "note" }, untimedNote(row)),
					this.verdict(row) ?? ""),
				aside.length > 0 && element("div", { class: "aside" }, aside)));
		this.section.hidden = this.split.hidden = false;
		if (timed) {
			this.histogram.draw();
		} else {
			this.histogram.close();
		}
		this.section.querySelector(".listing .current")?.scrollIntoView({ block: "center" });
		this.section.scrollTop = 0;
	}

	hide() {
		this.histogram.close();
		this.section.hidden = this.split.hidden = true;
		this.section.replaceChildren();
	}

	// redraw draws the chart anew, in the colours that are now.
	redraw() {
		if (this.histogram.chart) {
			this.histogram.draw();
		}
	}

	// figures lists the numbers, those of both sides with the change where two are compared.
	figures(row) {
		const { compared, noSelf, waits, cost: all } = this.report;
		const sides = compared ? [row.before, row.now] : [row.now];
		const line = (name, known, value, beside) => {
			if (!sides.some((f) => f && known(f))) {
				return null;
			}
			return element("tr", null, element("th", { scope: "row" }, name),
				sides.map((f) => element("td", null, f && known(f) ? value(f) : none)), beside);
		};
		// What stands beside a figure: of one profile a remark, of two the change.
		const beside = (key, known, remark) => {
			if (!compared) {
				return element("td", { class: "remark" }, row.now && known(row.now) ? remark?.(row.now) : null);
			}
			const v = row.now && row.before ? changeOf(row, key, known) : null;
			return element("td", null, v === null || !Number.isFinite(v) ? "" : signedPercent(v));
		};
		const timed = (f) => f.timed;
		const time = (key, remark) => line(key, timed,
			(f) => element("span", { title: exactly(f[key]) }, timeOf(f, key)),
			beside(key, timed, remark));
		const within = (q) => (f) => "in " + rangeOf(bucketOf(f, q));
		return element("div", { class: "figures" }, element("table", null,
			compared && element("thead", null, element("tr", null, ["", "old", "new", "change"].map((t) => element("th", { scope: "col" }, t)))),
			element("tbody", null,
				line("count", (f) => f, (f) => count(f.count),
					beside("count", (f) => f, (f) => f.sampled?.countSE > 0 && "± " + relative(f.sampled.countSE, Number(f.count)))),
				line("sampled", (f) => f.sampled, (f) => "1:" + count(f.sampled.rate)),
				line("recorded", (f) => f.sampled, (f) => count(f.sampled.samples)),
				line("timed", (f) => f.demoted, (f) => count(f.demoted.timed), !compared && element("td", { class: "remark" }, "of the scopes; ~ is estimated from these")),
				time("total"),
				!noSelf && time("self", (f) => Number(f.total) > 0 && `${percent(Number(f.self) / Number(f.total))} of total` + (waits ? "" : `, ${percent(all > 0 ? Number(f.self) / all : 0)} of all`)),
				waits && time("running", (f) => `${percent(all > 0 ? Number(f.running) / all : 0)} of all`),
				waits && time("waiting"),
				time("mean", (f) => f.sampled && "± " + relative(f.sampled.meanSE, f.mean)),
				time("stddev"), time("min"),
				time("p50", within(0.5)), time("p90", within(0.9)), time("p99", within(0.99)),
				time("max"),
				line("open", (f) => f.open !== 0, (f) => count(f.open), !compared && element("td", { class: "remark" }, "had not ended")))));
	}

	// verdict lists what the comparison of the runs has found, figure by figure.
	verdict(row) {
		const v = row.verdict;
		if (!v) {
			return null;
		}
		return element("div", { class: "verdict" }, element("h3", null, "the runs compared: ", painted(row.guess ? "" : v.verdict, verdictOf(row))), element("table", null,
			element("thead", null, element("tr", null, ["", "old", "±", "new", "±", "change", "from … to", "p"].map((t) => element("th", { scope: "col" }, t)))),
			element("tbody", null, v.figures.map(([name, old, oldSpread, now, nowSpread, change, range, verdict, p]) => element("tr", null,
				element("th", { scope: "row" }, name), [old, oldSpread, now, nowSpread, painted(row.guess ? "" : verdict, change), range, p].map((cell) => element("td", null, cell)))))));
	}

	// callers lists the figures by caller.
	callers(row) {
		const list = row.now?.callers ?? [];
		if (list.length === 0) {
			return null;
		}
		const { noSelf, withID } = this.report;
		const heads = ["caller", "count", "total", ...(noSelf ? [] : ["self"]), "mean", "p50", "p99", "max"];
		return element("div", { class: "callers" }, element("h3", null, this.report.compared ? "by caller, new" : "by caller"), element("table", null,
			element("thead", null, element("tr", null, heads.map((t) => element("th", { scope: "col" }, t)))),
			element("tbody", null, list.map(({ id, name, figures: f }) => {
				const times = ["total", ...(noSelf ? [] : ["self"]), "mean", "p50", "p99", "max"];
				return element("tr", null,
					element("th", { scope: "row" }, withID.has(id) ? element("a", { href: "#" + id }, name) : name || "(no marker)"),
					element("td", null, count(f.count)),
					times.map((key) => element("td", { title: f.timed ? exactly(f[key]) : null }, f.timed ? timeOf(f, key) : none)));
			}))));
	}

	// sides are the figures of the row, with their names where there are two.
	sides(row) {
		return this.report.compared ? [["old", row.before], ["new", row.now]] : [["", row.now]];
	}

	// sizes lists times by the size of the input.
	sizes(row) {
		const { compared } = this.report;
		const lines = this.sides(row).flatMap(([side, f]) => (f?.sizes ?? []).map((s) => element("tr", null,
			compared && element("td", { class: "left" }, side),
			element("th", { scope: "row" }, s.size),
			element("td", null, count(s.count)),
			element("td", null, amountMean("", s.meanSize)),
			element("td", { title: exactly(s.mean) }, measured(s.mean, f.quantum)),
			element("td", { title: exactly(s.stddev) }, duration(s.stddev)),
			element("td", null, s.unit === null ? none : duration(s.unit)))));
		return lines.length > 0 && element("div", { class: "sizes" }, element("h3", null, "by size of input"), element("table", null,
			element("thead", null, element("tr", null, compared && element("th", { scope: "col" }, ""),
				["size", "count", "mean size", "mean", "stddev", "a unit"].map((t) => element("th", { scope: "col", class: t === "size" ? "left" : null }, t)))),
			element("tbody", null, lines)));
	}

	// readings lists what collectors besides time read, without what was 0.
	readings(row) {
		const { compared } = this.report;
		const lines = [];
		const notes = [];
		for (const [side, f] of this.sides(row)) {
			for (const r of f?.readings ?? []) {
				const some = r.values.filter((v) => v.total !== 0);
				for (const v of some) {
					lines.push(element("tr", null,
						compared && element("td", { class: "left" }, side),
						element("th", { scope: "row" }, `${r.collector} ${v.name}`),
						element("td", { title: exactAmount(v.name, v.total) }, amount(v.name, v.total)),
						element("td", { title: exactAmount(v.name, v.self) }, amount(v.name, v.self)),
						element("td", null, amountMean(v.name, v.mean)),
						element("td", null, count(r.scopes))));
				}
				if (some.length === 0) {
					notes.push(`${side} ${r.collector}: 0 in all that was read, ${plural(r.scopes, "scope")}`);
				}
				if (r.dropped !== 0) {
					notes.push(`${side} ${r.collector}: ${plural(r.dropped, "scope")} left out, whose two readings are missing or can't be compared`);
				}
			}
		}
		return lines.length + notes.length > 0 && element("div", { class: "readings" }, element("h3", null, "read at its scopes"),
			lines.length > 0 && element("table", null,
				element("thead", null, element("tr", null, compared && element("th", { scope: "col" }, ""),
					["value", "total", "self", "mean", "scopes"].map((t) => element("th", { scope: "col", class: t === "value" ? "left" : null }, t)))),
				element("tbody", null, lines)),
			notes.map((text) => element("p", { class: "note" }, text)));
	}
}

// bucketOf says in which bucket a quantile is: that is sure where the figure is estimated.
function bucketOf(f, q) {
	const list = buckets(f);
	let rank = BigInt(Math.max(1, Math.ceil(q * Number(sumWhole(list.map((b) => b.count))))));
	for (const b of list) {
		rank -= BigInt(b.count);
		if (rank <= 0n) {
			return b.k;
		}
	}
	return list.at(-1).k; // counts past 2^53, rounded up
}

// untimedNote says why there is no chart.
function untimedNote(row) {
	const f = row.now ?? row.before;
	return f.count === 0 ? "the marker was never reached" : "its scopes were counted and not timed";
}
