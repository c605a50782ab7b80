"use strict";

// The source of a marker's file, with what its lines counted and took.

const linesAround = 60; // shown above and below the marker's line, and added at a time

// placeLink makes a text lead to a line of a row's file; where the file has no address it is the text.
function placeLink(row, line, text, attributes) {
	if (row.link === "") {
		return text;
	}
	const away = /^https?:/i.test(row.link); // a page: this one stays open beside it
	return element("a", {
		href: row.link.replaceAll("{line}", line), target: away && "_blank", rel: away && "noopener noreferrer", ...attributes,
	}, text);
}

// sourceOf makes the listing around a row's line.
function sourceOf(row, report) {
	const source = report.sources.get(row.fileAt);
	if (!source) {
		return null;
	}
	const head = element("h3", null, placeLink(row, row.line, row.place));
	if (source.text === "") {
		return element("div", { class: "source" }, head, element("p", { class: "note" }, source.note || "the file is empty"));
	}
	const lines = source.text.replace(/\n$/, "").split("\n");
	const marked = new Map(); // line → rows
	for (const other of report.rows) {
		if (other.fileAt === row.fileAt && (other.now || other === row)) {
			marked.set(other.line, [...(marked.get(other.line) ?? []), other]);
		}
	}
	const note = row.line > lines.length ? `the file has only ${plural(lines.length, "line")} now` : source.note;
	const body = element("tbody");
	const sum = report.cost;
	let first = Math.max(1, Math.min(row.line, lines.length) - linesAround); // the first line in the listing
	let last = Math.min(lines.length, row.line + linesAround);
	const make = (n) => lineOf(n, lines[n - 1], marked.get(n) ?? [], row, sum, report.noSelf);
	const range = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => make(from + i));
	body.append(...range(first, last));

	const more = (text, add) => {
		const line = element("tr", { class: "further" }, element("td", { colspan: 5 }, element("button", { type: "button", click: () => add(line) }, text)));
		return line;
	};
	if (first > 1) {
		body.prepend(more("lines above", (line) => {
			const from = Math.max(1, first - 5 * linesAround);
			line.after(...range(from, first - 1));
			first = from;
			if (first === 1) {
				line.remove();
			}
		}));
	}
	if (last < lines.length) {
		body.append(more("lines below", (line) => {
			const to = Math.min(lines.length, last + 5 * linesAround);
			line.before(...range(last + 1, to));
			last = to;
			if (last === lines.length) {
				line.remove();
			}
		}));
	}
	return element("div", { class: "source" }, head,
		note && element("p", { class: "note" }, note),
		element("div", { class: "listing", tabindex: 0, role: "region", "aria-label": "source of " + row.file },
			element("table", null,
				element("thead", null, element("tr", null, ["count", "total", "self", "", ""].map((t) => element("th", { scope: "col" }, t)))),
				body)));
}

// lineOf makes one line of a listing. Several markers of a line stand one above another.
function lineOf(n, text, markers, current, sum, noSelf) {
	const cells = (of) => element("td", { class: "figure" }, markers.map((row) => element("div", null, of(row))));
	const figure = (row, known, value) => (row.now && known(row.now) ? value(row.now) : none);
	const line = element("tr", { class: n === current.line ? "current" : null },
		cells((row) => element("a", { href: "#" + row.id, title: row.name }, figure(row, (f) => f, (f) => count(f.count)))),
		cells((row) => figure(row, (f) => f.timed, (f) => wholeDuration(f.total))),
		cells((row) => figure(row, (f) => f.timed && !noSelf, (f) => wholeDuration(f.self))),
		element("td", { class: "number" }, placeLink(current, n, String(n), { tabindex: -1, title: "open this line" })),
		element("td", { class: "code" }, text === "" ? "\n" : text.replace(/\r$/, "")));
	const share = markers.reduce((most, row) => Math.max(most, row.now ? cost(row.now, noSelf) : 0), 0) / sum;
	if (share > 0.001 && !grey) {
		line.style.setProperty("--heat", heat(share, 0.22));
		line.classList.add("warm");
	}
	return line;
}
