"use strict";

// A column of the table:
//
//	key, title, about    what it is called in the page, to people, and explained
//	width                CSS width
//	left                 words; numbers stand on the right
//	value(row)           what is sorted by: a whole number, a number or a text; null where there is none
//	first                1: sorting begins with the smallest, -1: with the largest
//	cell(row)            what is shown
//	exact(row)           the same in full, or null
//	blank                0 where null counts as 0 if sorting begins with the largest; else it comes last
//	then(row)            what decides between equal values, before the name does
//	head                 what stands in the head in place of a button that sorts

// columnsFor gives the columns of a report: what is nowhere known is left out.
function columnsFor(report) {
	const { rows, compared, noSelf, waits } = report;
	const timed = rows.some((row) => row.now?.timed || row.before?.timed);
	const sampled = rows.some((row) => row.now?.sampled);
	const unsure = rows.some((row) => row.now?.sampled?.countSE > 0);
	const room = (key) => roomFor(rows, key);
	const counted = [
		figure("count", "scopes", {
			width: longest(rows, (row) => count((row.now ?? row.before).count), 6, 26),
			known: (f) => f, cell: (f) => count(f.count), exact: () => null,
		}),
		unsure && spread("count-se", "standard error of the count, in parts of it", "countSE", "count"),
		compared && change("count", "Δ count", (f) => f),
	];
	const total = timed && [
		figure("total", "sum of the times of all scopes, of recursive ones the outermost", room("total")),
		compared && change("total", "Δ total"),
	];
	const self = timed && !noSelf && [
		figure("self", "total without the time of scopes that ran inside", room("total")),
		waits && figure("running", "self time in which goroutines ran", roomFor(rows, "total", "5.6rem")),
		waits && figure("waiting", "self time in which goroutines waited: for others, input, time, their turn or a system call", roomFor(rows, "total", "5.6rem")),
		shareColumn(report),
	];
	const mean = timed && [
		figure("mean", "time of a scope", room("max")),
		sampled && spread("mean-se", "standard error of the mean, in parts of it", "meanSE", "mean"),
		compared && change("mean", "Δ mean"),
	];
	const place = words("place", longest(rows, (row) => row.place, 6, 24), "file and line",
		(row) => row.file, (row) => element("span", { class: "cut", title: row.place }, element("bdi", null, placeLink(row, row.line, row.place, { tabindex: -1 }))));
	place.then = (row) => row.line;
	const kind = words("kind", longest(rows, (row) => row.kind, 6, 18), "func, loop, branch, block, region or point", (row) => row.kind, (row) => row.kind);
	// What comes first is in sight in a window of 1,000 pixels.
	const columns = (...list) => list.flat().filter((c) => c);
	const first = report.judged ? columns(verdictColumns(), self, place) : columns(counted, total, self, mean, place);
	const name = words("name", nameWidth(first, longest(rows, (row) => row.short + row.header, 18, 60)), "the marker", (row) => row.at, (row) => nameOf(row));
	const list = columns(name, first, kind, report.judged && columns(counted, total, mean), timed && [
		figure("p50", "time that half of the scopes did not exceed; estimated within its bucket", room("max")),
		figure("p90", "time that 90 of 100 scopes did not exceed; estimated within its bucket", room("max")),
		figure("p99", "time that 99 of 100 scopes did not exceed; estimated within its bucket", room("max")),
		figure("max", "longest scope", room("max")),
		stripColumn(report),
		figure("min", "shortest scope", room("max")),
		figure("stddev", "standard deviation of the times of scopes", room("max")),
	]);
	if (report.memory) {
		const of = memoryWords(report);
		list.push(
			perCall("bytes", `bytes allocated ${of}, mean`),
			perCall("objects", `objects allocated ${of}, mean`));
	}
	return list;
}

// nameWidth is as wide as the names, or as there is room beside the columns that are to be in sight; for others
// the table scrolls.
function nameWidth(beside, widest) {
	const others = beside.map((c) => c.width).join(" + ");
	return `max(18ch, min(${widest}, 100cqw - (${others})))`;
}

// longest gives a width for texts, between bounds, in characters.
function longest(rows, text, least, most) {
	let n = least;
	for (const row of rows) {
		n = Math.max(n, text(row).length);
	}
	return Math.min(n, most) + 2 + "ch";
}

// roomFor gives the width for times up to the largest of a figure: those of days have more digits, and
// estimated ones begin with ~.
function roomFor(rows, key, least = "4.8rem") {
	const largest = rows.reduce((most, row) => Math.max(most, Number(row.now?.[key] ?? 0)), 0);
	const sign = rows.some((row) => row.now?.demoted) ? " + 1ch" : "";
	return { width: `calc(max(${least}, ${wholeDuration(largest).length + 2}ch)${sign})` };
}

function words(key, width, about, value, cell) {
	return { key, title: key, about, width, left: true, value, first: 1, cell, exact: () => null };
}

// nameOf shows a name, and behind it the header of a loop or branch as far as there is room. Where there is none for the
// name its beginning is cut: the end tells names apart.
function nameOf(row) {
	const cut = row.short.lastIndexOf("/") + 1;
	const link = element("a", { class: "cut", href: "#" + row.id, title: row.name, tabindex: -1 },
		element("bdi", null, cut > 0 && element("span", { class: "path" }, row.short.slice(0, cut)), row.short.slice(cut)));
	return row.header === "" ? link : element("div", { class: "headed" }, link, element("span", { class: "header", title: row.header }, row.header));
}

const wholeTimes = ["total", "self", "running", "waiting", "min", "max"];

// timeOf writes one of the times of figures, with ~ where it is estimated from some of the scopes.
function timeOf(f, key) {
	const sign = f.demoted && key !== "min" && key !== "max" ? "~" : "";
	if (wholeTimes.includes(key)) {
		return sign + wholeDuration(f[key]);
	}
	return sign + (key === "stddev" ? duration(f[key]) : measured(f[key], f.quantum));
}

// figure is a column of numbers.
function figure(key, about, own) {
	const known = own.known ?? ((f) => f.timed);
	const cell = own.cell ?? ((f) => timeOf(f, key));
	const exact = own.exact ?? ((f) => exactly(f[key]));
	return {
		key, title: key, about, first: -1, blank: 0,
		width: own.width,
		value: (row) => (row.now && known(row.now) ? row.now[key] : null),
		cell: (row) => (row.now && known(row.now) ? cell(row.now) : none),
		exact: (row) => (row.now && known(row.now) ? exact(row.now) : null),
	};
}

// memoryWords says what memory is that of.
function memoryWords(report) {
	return report.memory === "alloc" ? "in a scope" : "by the whole process during a scope";
}

// memoryWritten writes a mean of bytes or objects.
function memoryWritten(key, mean) {
	return key === "bytes" ? memory(mean) : Number.isInteger(mean) ? count(mean) : amountMean("", mean);
}

// perCall is a column of what a scope allocates.
function perCall(key, about) {
	const value = (row) => row.now?.memory?.[key].mean ?? null;
	return {
		key, title: key, about, width: "5rem", first: -1, blank: 0, value,
		cell: (row) => (value(row) === null ? none : memoryWritten(key, value(row))),
		exact: (row) => row.now?.memory ? `${count(row.now.memory[key].total)} ${key} in all` : null,
	};
}

// spread is a column of standard errors.
function spread(key, about, error, of) {
	return {
		key, title: "±", about, width: "4rem", first: -1,
		value: (row) => (row.now?.sampled && row.now[of] > 0 && row.now.sampled[error] !== null ? row.now.sampled[error] / Number(row.now[of]) : null),
		cell: (row) => (row.now?.sampled ? relative(row.now.sampled[error], Number(row.now[of])) : none),
		exact: () => null,
	};
}

// change is a column of changes of another.
function change(key, title, known = (f) => f.timed) {
	const value = (row) => changeOf(row, key, known);
	return {
		key: key + "-change", title, about: `change of the ${key}, new against old`, width: "5.6rem", first: -1, value,
		cell: (row) => {
			const v = value(row);
			if (v === null) {
				return none;
			}
			const text = row.before === null ? "new" : row.now === null ? "gone" : v === Infinity ? "from 0" : signedPercent(v);
			return row.guess ? element("span", { title: guessText }, text + " ?") : text;
		},
		exact: (row) => (row.now && row.before && value(row) !== null ? `new ${fullOf(row.now, key)}, old ${fullOf(row.before, key)}` : null),
	};
}

// guessText says of a marker that it may not be the same in both profiles.
const guessText = "a guess: it was renamed, moved or edited, and may not be what it is compared with";

// verdictOf is the word for what became of a row: that of markgen diff, or on which side alone it is.
function verdictOf(row) {
	if (row.verdict) {
		return row.verdict.verdict === "unknown" ? "too few" : row.verdict.verdict;
	}
	return row.before === null ? "new" : row.now === null ? "gone" : "";
}

// painted shows a text in the colour of a verdict, which worse and better have and no other.
function painted(verdict, text) {
	const color = { worse: "more", better: "less" }[verdict];
	return color ? element("span", { class: color }, text) : text;
}

// verdictColumns are what markgen diff says of a marker, in the order of its columns: at the figure that tells most.
function verdictColumns() {
	const lead = (row) => row.verdict?.figures[row.verdict.lead] ?? null;
	const cell = (key, i, about, width, own) => ({
		key, title: key, about, width, first: -1, value: () => null, exact: () => null,
		cell: (row) => lead(row)?.[i] ?? "", ...own,
	});
	const exact = (row) => (lead(row) && lead(row)[6] !== "" ? `${lead(row)[6]}, p ${lead(row)[8]}` : null);
	return [
		cell("verdict", 7, "what became of it, as markgen diff says: worse, better, changed by less than the threshold, unchanged, or too few runs to tell", "6.6rem", {
			left: true, first: 1, exact, value: (row) => row.verdict?.order ?? null, cell: (row) => painted(row.guess ? "" : verdictOf(row), verdictOf(row) + (row.guess ? " ?" : "")),
		}),
		cell("change", 5, "change of the time of a scope, new runs against old, where it is surest; ~ is no change that could not be chance", "5.4rem", {
			exact, value: (row) => (lead(row) && lead(row)[5] !== "~" ? row.verdict.change ?? Infinity : null), cell: (row) => painted(row.guess ? "" : row.verdict?.verdict, lead(row)?.[5] ?? ""),
		}),
		cell("at", 0, "where in the times of the scopes that is: a quantile, the mean, or p99+, the mean of the slowest hundredth", "3.8rem", { head: element("span", null, "at"), left: true }),
		cell("old", 1, "median of the old runs", "5.2rem", { head: element("span", null, "old"), exact: (row) => lead(row) && `± ${lead(row)[2]}` }),
		cell("new", 3, "median of the new runs", "5.2rem", { head: element("span", null, "new"), exact: (row) => lead(row) && `± ${lead(row)[4]}` }),
		cell("p", 8, "the chance to see a difference as large as this at any of the markers, if nothing had changed", "4.4rem", { first: 1, value: (row) => row.verdict?.p ?? null }),
	];
}

// changeOf is the relative change of a figure: of markers that are on one side only
// without end, null where a side has none.
function changeOf(row, key, known) {
	if (row.now === null) {
		return -Infinity;
	}
	if (row.before === null) {
		return Infinity;
	}
	if (!known(row.now) || !known(row.before)) {
		return null;
	}
	const [now, before] = [Number(row.now[key]), Number(row.before[key])];
	if (before === 0) {
		return now === 0 ? null : Infinity;
	}
	return (now - before) / before;
}

// fullOf writes a figure in full.
function fullOf(f, key) {
	return key === "count" ? count(f.count) : exactly(f[key]);
}

// shareColumn is how much of the self time of all markers is a marker's: a bar, of which the longest is
// the largest share, as hot as the share is, and the share in numbers.
function shareColumn(report) {
	const self = (row) => (row.now?.timed ? row.now.running : null);
	const what = report.waits ? "running self time" : "self time";
	const shareOf = (row) => (report.cost > 0 ? cost(row.now, report.noSelf) / report.cost : 0);
	return {
		key: "share", title: "share", about: `share of the ${what} of all markers; the longest bar is the largest share`,
		width: "8.2rem", first: -1, blank: 0, value: self,
		cell: (row) => {
			if (self(row) === null) {
				return none;
			}
			const share = shareOf(row);
			const bar = element("span", { class: "bar", "aria-hidden": "true" });
			if (share > 0) {
				bar.style.width = `max(2px, ${(100 * share * report.cost) / report.mostCost}%)`;
				bar.style.background = heat(share);
			}
			return [element("span", { class: "track" }, bar), element("span", null, percent(share))];
		},
		exact: (row) => (self(row) === null ? null : `${percent(shareOf(row))} of the ${what} of all markers`),
	};
}
