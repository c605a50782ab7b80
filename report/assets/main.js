"use strict";

// start shows the report.
async function start() {
	const report = arrange(await unpack());
	document.querySelector("main").hidden = false;
	const table = new MarkerTable(byID("view"), byID("markers"), columnsFor(report), report.rows, (n) => {
		const all = report.rows.length;
		byID("shown").textContent = n === all ? plural(all, "marker") : `${count(n)} of ${plural(all, "marker")}`;
	});
	table.sort(report.sort);

	const panel = new DetailPanel(byID("detail"), report, () => {
		history.replaceState(null, "", location.pathname + location.search);
		follow();
		table.activate(table.active, true);
	});
	// follow shows the marker that the address names, so that links lead to markers.
	const follow = () => {
		const row = report.withID.get(location.hash.slice(1)) ?? null;
		if (row) {
			panel.show(row);
		} else {
			panel.hide();
		}
		table.mark(row);
		if (row && matchMedia("(max-width: 60rem)").matches) {
			byID("detail").scrollIntoView();
		}
	};
	addEventListener("hashchange", follow);
	startTheme(byID("theme"), () => panel.redraw());
	search(report, table);
	keys(panel);
	follow();
	performance.mark("markgen:ready");
}

// search filters by the words in the search field, all of which have to be there.
function search(report, table) {
	const [find, visited] = [byID("find"), byID("visited")];
	let texts = null; // of the rows, made when they are first asked for
	const apply = () => {
		const wanted = find.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
		texts ??= report.rows.map((row) => `${row.name} ${row.kind} ${row.place} ${row.id}`.toLowerCase());
		table.filter((row) =>
			(!visited.checked || [row.now, row.before].some((f) => f && f.count !== 0)) &&
			wanted.every((word) => texts[row.at].includes(word)));
	};
	find.addEventListener("input", apply);
	visited.addEventListener("change", apply);
	find.addEventListener("keydown", (event) => {
		if (event.key === "ArrowDown" || event.key === "Enter") {
			event.preventDefault();
			table.activate(0, true);
		}
	});
	if (find.value !== "" || visited.checked) { // the browser has kept them over a reload
		apply();
	}
}

// keys are those that work everywhere in the page.
function keys(panel) {
	addEventListener("keydown", (event) => {
		const typing = event.target.closest?.("input");
		if (event.key === "/" && !typing && !event.ctrlKey && !event.altKey && !event.metaKey) {
			event.preventDefault();
			byID("find").focus();
			byID("find").select();
		}
		if (event.key === "Escape" && !typing && !panel.section.hidden) {
			panel.onClose();
		}
	});
}

// The heads of the page stand without scripts; what keeps the rest from being shown is said.
start().catch((problem) => {
	byID("problem").textContent = "The report can't be shown: " + problem.message;
	byID("problem").hidden = false;
	console.error(problem);
});
