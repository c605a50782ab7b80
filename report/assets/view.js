"use strict";

// The views of the markers: the table of all, the flame graph with the table beside it where there is room, and
// the API with a card for each function.
class Views {
	constructor(report) {
		this.report = report;
		this.table = new MarkerTable(byID("view"), byID("markers"), columnsFor(report), report.rows, () => this.count());
		this.cards = new CardList(byID("cards"), report, () => this.count());
		this.name = "";
		this.onOpen = null; // is called with a row whose frame was opened
		this.flame = report.paths && new FlameGraph(byID("flame"), report, (row) => this.onOpen(row), () => this.count());
		this.texts = null; // of the rows, made when they are first asked for
		this.table.sort(report.sort);
		const has = { table: true, flame: this.flame !== null, api: report.api.functions.length > 0 };
		for (const link of byID("views").querySelectorAll("a")) {
			link.hidden = !has[link.hash.slice(1)];
		}
		byID("views").hidden = !has.flame && !has.api;
		this.has = has;
		this.choices();
		this.search();
		this.show(report.api.only && has.api ? "api" : has.flame ? "flame" : "table");
	}

	// show changes to a view: "table", "flame" or "api".
	show(name) {
		if (name === this.name || !this.has[name]) {
			return;
		}
		this.name = name;
		byID("view").hidden = name === "api";
		byID("flame").hidden = name !== "flame";
		byID("cards").hidden = name !== "api";
		for (const link of byID("views").querySelectorAll("a")) {
			link.toggleAttribute("aria-current", link.hash === "#" + name);
		}
		const { functions } = this.report.api;
		document.querySelector("#tools .keys").hidden = name === "flame"; // it has its own
		byID("kind").parentElement.hidden = name === "api" || byID("kind").length < 3;
		byID("prefix").hidden = name === "api" || this.report.prefix === "";
		byID("exported").parentElement.hidden = name !== "api" || functions.every((fn) => fn.exported === functions[0].exported);
		if (name === "api") {
			this.cards.make();
		}
		this.count();
	}

	// active is what is in sight.
	get active() {
		return this.name === "api" ? this.cards : this.table;
	}

	// showPath shows a node of the tree in the flame graph, and opens its marker.
	showPath(node) {
		this.show("flame");
		this.flame.open(node);
		this.flame.focus();
	}

	// focusFirst moves to the first that is shown, in the flame graph to the widest.
	focusFirst() {
		if (this.name === "flame") {
			this.flame.focusFound();
		} else if (this.name === "api") {
			this.cards.focus(this.cards.shown[0]);
		} else {
			this.table.activate(0, true);
		}
	}

	// focusOpen moves to the one whose panel was open.
	focusOpen() {
		if (this.name === "flame") {
			this.flame.focus();
		} else if (this.name === "api") {
			this.cards.focus(this.cards.active);
		} else {
			this.table.activate(this.table.active, true);
		}
	}

	// count says how many are shown.
	count() {
		if (this.name === "flame") {
			byID("shown").textContent = this.flame.summary();
			return;
		}
		const [all, noun] = this.name === "api" ? [this.report.api.functions.length, "function"] : [this.report.rows.length, "marker"];
		const n = this.active.shown.length;
		byID("shown").textContent = n === all ? plural(all, noun) : `${count(n)} of ${plural(all, noun)}`;
	}

	// choices fills the choices of kinds and verdicts, and says what names have in common.
	choices() {
		const fill = (id, all, of) => {
			const rows = Map.groupBy(this.report.rows.filter((row) => of(row) !== ""), of);
			byID(id).append(element("option", { value: "" }, all),
				...[...rows].toSorted(([, a], [, b]) => b.length - a.length).map(([value, list]) => element("option", { value }, `${value} (${count(list.length)})`)));
		};
		fill("kind", "all kinds", (row) => row.bareKind);
		if (this.report.judged) {
			fill("verdict", "any verdict", verdictOf);
			byID("verdict").parentElement.hidden = false;
		}
		byID("prefix").querySelector("code").textContent = this.report.prefix;
	}

	// search filters by the words in the search field, all of which have to be there, and by what is chosen beside it.
	search() {
		const [find, kind, verdict, visited, exported] = ["find", "kind", "verdict", "visited", "exported"].map(byID);
		const apply = () => {
			const wanted = find.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
			this.texts ??= this.searched();
			const keep = (row, label = "") =>
				(verdict.value === "" || verdictOf(row) === verdict.value) &&
				(visited.value !== "visited" || [row.now, row.before].some((f) => f && f.count !== 0)) &&
				(visited.value !== "unvisited" || this.report.unvisited.has(row.at)) &&
				wanted.every((word) => this.texts[row.at].includes(word) || label.includes(word));
			const ofKind = (row) => kind.value === "" || row.bareKind === kind.value;
			this.table.filter((row) => keep(row) && ofKind(row));
			const any = wanted.length > 0 || [kind, verdict, visited].some((choice) => choice.value !== "");
			this.flame?.highlight(any ? (row, label) => keep(row, label) && ofKind(row) : null);
			this.cards.filter((fn) => keep(fn.row) && (!exported.checked || fn.exported));
		};
		find.addEventListener("input", apply);
		for (const choice of [kind, verdict, visited, exported]) {
			choice.addEventListener("change", apply);
		}
		for (const button of document.querySelectorAll("[data-visited], [data-verdict]")) {
			button.addEventListener("click", () => { // its choice alone
				[find.value, kind.value] = ["", ""];
				visited.value = button.dataset.visited ?? "";
				verdict.value = button.dataset.verdict ?? "";
				apply();
			});
		}
		find.addEventListener("keydown", (event) => {
			if (event.key === "ArrowDown" || event.key === "Enter") {
				event.preventDefault();
				this.focusFirst();
			}
		});
		if (find.value !== "" || kind.value !== "" || verdict.value !== "" || visited.value !== "" || exported.checked) { // the browser has kept them over a reload
			apply();
		}
	}

	// searched are the texts that are searched, by row.
	searched() {
		const texts = this.report.rows.map((row) => `${row.name} ${row.kind} ${row.place} ${row.id} ${row.header}`);
		for (const fn of this.report.api.functions) {
			texts[fn.row.at] += ` ${fn.title} ${fn.signature} ${fn.doc} ${fn.labels.join(" ")}`;
		}
		return texts.map((text) => text.toLowerCase());
	}
}
