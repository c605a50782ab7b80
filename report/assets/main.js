"use strict";

// start shows the report.
async function start() {
	const report = arrange(await unpack());
	grey = report.compared;
	document.querySelector("main").hidden = false;
	const views = new Views(report);
	const panel = new DetailPanel(byID("detail"), byID("split"), views, () => {
		history.replaceState(null, "", location.pathname + location.search);
		follow();
		views.focusOpen();
	});
	// follow shows what the address names, so that links lead to it: a view, a function or
	// package in the API view, or the panel of a marker.
	const follow = () => {
		const name = addressed();
		const row = report.withID.get(name) ?? null;
		const fn = row ? null : report.api.withAnchor.get(name);
		if (["table", "flame", "api"].includes(name)) {
			views.show(name);
		} else if (fn || name.startsWith("pkg:")) {
			views.show("api");
		}
		views.flame?.mark(row);
		if (row) {
			panel.show(row);
		} else {
			panel.hide();
		}
		views.table.mark(row);
		views.cards.mark(null);
		if (fn) {
			views.cards.goTo(fn);
		} else if (name.startsWith("pkg:") && views.name === "api") {
			views.cards.goToSection(name);
		}
		if (row && matchMedia("(max-width: 60rem)").matches) {
			byID("detail").scrollIntoView();
		}
	};
	addEventListener("hashchange", follow);
	views.onOpen = (row) => {
		if (addressed() === row.id) {
			follow();
		} else {
			location.hash = row.id;
		}
	};
	startTheme(byID("theme"), () => {
		panel.redraw();
		views.flame?.redraw();
	});
	keys(panel);
	follow();
	performance.mark("markgen:ready");
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
