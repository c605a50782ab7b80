"use strict";

const mostPaths = 20; // listed in the panel

// timesOnPath returns the buckets of the opened frame, [new, old], if it is one of the row's and they were
// recorded by path, or null.
function timesOnPath(row, { report: { paths }, flame }) {
	const tree = paths?.tree;
	if (!tree || flame.tree !== tree || flame.opened === null || !paths.of.get(row)?.includes(flame.opened)) {
		return null;
	}
	const lists = [0, 1].map((side) => tree.times[side]?.get(flame.opened) ?? []);
	return lists.some((list) => list.length > 0) ? lists : null;
}

// pathsOf lists the paths on which a marker ran, those that took most first, and that of the opened frame.
// Each leads to its frame.
function pathsOf(row, views) {
	const { paths, noSelf, compared } = views.report;
	const tree = paths?.tree;
	const nodes = (paths?.of.get(row) ?? []).filter((node) => tree.value("count", 0, node) > 0 || tree.value("total", 0, node) > 0);
	if (nodes.length === 0) {
		return null;
	}
	const { flame } = views;
	const opened = flame.tree === tree ? flame.opened : null;
	const total = (node) => tree.value("total", 0, node);
	const sorted = nodes.toSorted((a, b) => total(b) - total(a) || a - b);
	const shown = sorted.slice(0, mostPaths);
	if (opened !== null && nodes.includes(opened) && !shown.includes(opened)) {
		shown[shown.length - 1] = opened;
	}
	const name = (node) => nodeName(views.report, tree, node);
	const line = (node) => {
		const chain = tree.chain(node).map(name);
		const [n, time, self] = ["count", "total", "self"].map((key) => tree.value(key, 0, node));
		return element("tr", { "aria-current": node === opened ? "true" : null },
			element("td", null, count(n)), element("td", null, wholeDuration(time)), !noSelf && element("td", null, wholeDuration(self)),
			element("td", null, n > 0 ? duration(time / n) : none),
			element("th", { scope: "row", title: chain.join("\n") }, element("button", { type: "button", click: () => views.showPath(node) }, chain.slice(0, -1).join(" › ") || "(outermost)")));
	};
	const title = `${compared ? "new, " : ""}on ${plural(nodes.length, "path")}` + (shown.length < nodes.length ? `, of which ${shown.length} are listed` : "")
		+ (nodes.length === 1 ? "" : timesOnPath(row, views) ? "; the distribution is that of the marked one" : "; the distribution is that of all together");
	return element("div", { class: "paths" }, element("h3", null, title), element("table", null,
		element("thead", null, element("tr", null, ["count", "total", !noSelf && "self", "mean", "called through"].filter((t) => t).map((t) => element("th", { scope: "col" }, t)))),
		element("tbody", null, shown.map(line))));
}
