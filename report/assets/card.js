"use strict";

// The card of a function. Its head is made at once, so that it is found by its text; what takes
// time is made when it comes into sight.

function cardOf(fn, report) {
	const share = heatOf(fn.row, report);
	const f = fn.row.now ?? fn.row.before;
	const words = f.count === 0 ? ["never called"] : fn.labels;
	const labels = [verdictLabel(fn.row), ...words.map((text) => element("li", null, text))].filter((label) => label);
	const card = element("article", {
		class: f.count === 0 ? "card unvisited" : "card", id: fn.anchor, tabindex: -1, "aria-label": fn.title,
	}, element("div", { class: "who" },
		element("div", { class: "title" },
			element("h4", null, element("a", { href: linkTo(fn.anchor), tabindex: -1, title: fn.row.name }, fn.title)),
			labels.length > 0 && element("ul", null, labels)),
		fn.signature !== "" && element("code", { class: "signature" }, fn.signature),
		fn.doc !== "" && element("p", { class: "doc" }, fn.doc)));
	card.style.setProperty("--heat", share > 0 && !grey ? heat(share) : "var(--line)");
	return card;
}

// verdictLabel says what got worse or better, and by how much.
function verdictLabel({ verdict: v, guess }) {
	if (guess || !["worse", "better"].includes(v?.verdict)) {
		return null;
	}
	const [at, , , , , change] = v.figures[v.lead];
	return element("li", null, painted(v.verdict, `${v.verdict}: ${at} ${change}`));
}

// heatOf is the share of the time of all markers that a row has.
function heatOf(row, report) {
	return row.now?.timed && report.cost > 0 ? cost(row.now, report.noSelf) / report.cost : 0;
}

// fillCard adds the figures, the drawings and the notes.
function fillCard(card, fn, report, measures) {
	const { row } = fn;
	if ((row.now ?? row.before).count === 0) {
		return;
	}
	card.firstElementChild.append(
		...[factsOf(row, report), evidenceOf(fn), notesOf(fn, report)].filter((part) => part),
		element("p", { class: "further" }, element("a", { href: "#" + row.id, tabindex: -1 }, "all figures"), " ", element("span", { class: "place" }, placeLink(row, row.line, row.place, { tabindex: -1 }))));
	for (const { measure, axis } of measures) {
		const some = [row.now, row.before].some((f) => measure.list(f)?.some((b) => b.k > 0 || measure === timeMeasure));
		card.append(element("figure", { class: "spread" },
			some && element("figcaption", null, measure.title),
			some && drawSpread(measure, axis, row)));
	}
}

// factsOf are the figures that callers ask for first, with the change where two profiles are compared.
function factsOf(row, report) {
	const f = row.now;
	if (!f || f.count === 0) {
		return null;
	}
	const fact = (word, text, full, beside) => element("div", { title: full }, element("dt", null, word), element("dd", null, text, beside));
	const change = (v) =>
		v !== null && Number.isFinite(v) && element("span", { class: "change" }, signedPercent(v));
	const changed = (key, known) => change(row.before ? changeOf(row, key, known) : null);
	const time = (word, key, title) => fact(word, timeOf(f, key), `${title}: ${exactly(f[key])}`, changed(key, (g) => g.timed));
	return element("dl", { class: "facts" },
		fact("calls", count(f.count), null, changed("count", (g) => g)),
		f.timed && [
			time("mean", "mean", "time of a call"),
			time("p50", "p50", "half of the calls did not take longer"),
			time("p99", "p99", "99 of 100 calls did not take longer"),
			time("max", "max", "the longest call"),
		],
		f.memory && ["bytes", "objects"].map((key) => {
			const { mean, total, self } = f.memory[key];
			const before = row.before?.memory?.[key].mean;
			return fact(key + " a call", memoryWritten(key, mean),
				`${key} allocated ${memoryWords(report)}, mean; ${count(total)} in all, ${count(self)} without what marked calls inside allocate`,
				change(before > 0 ? (mean - before) / before : null));
		}));
}

// evidenceOf is what the labels rest on.
function evidenceOf(fn) {
	return fn.evidence.length > 0 && element("dl", { class: "evidence" },
		fn.evidence.map(([property, text]) => element("div", null, element("dt", null, property), element("dd", null, text))));
}

// notesOf is what has to be known besides the figures.
function notesOf(fn, report) {
	const { row } = fn;
	const f = row.now;
	const notes = [];
	if (!f) {
		notes.push("gone: only the old profile has it");
	} else {
		if (report.compared && !row.before) {
			notes.push("new: the old profile does not have it");
		}
		if (row.guess) {
			notes.push(guessText);
		}
		if (f.count !== 0 && !f.timed) {
			notes.push("its calls were counted and not timed");
		}
		notes.push(...f.notes);
		const share = heatOf(row, report);
		if (share >= 0.001 && !report.noSelf) { // else times contain each other
			notes.push(`${percent(share)} of the self time of all ${report.api.only ? "functions here" : "markers"}`);
		}
		if (f.sampled) {
			notes.push(`estimated from ${plural(f.sampled.samples, "call")}` + (f.timed && f.sampled.meanSE !== null ? `, mean ± ${relative(f.sampled.meanSE, f.mean)}` : ""));
		}
		if (f.open !== 0) {
			notes.push(`${plural(f.open, "call")} had not ended`);
		}
		if (f.memory && f.memory.dropped !== 0) {
			notes.push(`what ${plural(f.memory.dropped, "call")} allocated was not read`);
		}
	}
	return notes.length > 0 && element("ul", { class: "notes" }, notes.map((text) => element("li", null, text)));
}
