"use strict";

// CardList shows the API view: a card for each function, by package and type.
class CardList {
	// region is the element that scrolls. onShown is told how many there are to see.
	constructor(region, report, onShown) {
		Object.assign(this, { region, report, onShown });
		this.api = report.api;
		this.keep = () => true;
		this.cards = null; // by the function's place, made when they are first shown
		this.shown = this.api.functions; // those that are not filtered out
		this.active = null; // the function that keys move from
		region.addEventListener("keydown", (event) => this.key(event));
		region.addEventListener("focusin", (event) => this.focused(event));
	}

	// make makes the cards.
	make() {
		if (this.cards) {
			return;
		}
		const { functions, packages } = this.api;
		this.measures = [timeMeasure, memoryMeasure(this.report)].map((measure) => ({ measure, axis: axisFor(measure, functions) })).filter(({ axis }) => axis !== null);
		this.region.style.setProperty("--measures", this.measures.length);
		this.cards = functions.map((fn) => cardOf(fn, this.report));
		this.of = new Map(functions.map((fn) => [this.cards[fn.at], fn]));
		this.empty = new Set(functions); // whose cards have no figures yet
		this.sections = packages.map((p) => this.sectionOf(p));
		this.region.append(this.contents(), element("div", { class: "packages" }, this.legend(), this.sections.map((s) => s.element)));
		this.activate(functions[0]);
		const sight = new IntersectionObserver((entries) => {
			for (const { isIntersecting, target } of entries) {
				if (isIntersecting) {
					sight.unobserve(target);
					this.fill(this.of.get(target));
				}
			}
		}, { rootMargin: "300px" });
		this.cards.forEach((card) => sight.observe(card));
		addEventListener("beforeprint", () => [...this.empty].forEach((fn) => this.fill(fn)));
		this.filter(this.keep);
	}

	fill(fn) {
		if (this.empty.delete(fn)) {
			fillCard(this.cards[fn.at], fn, this.report, this.measures);
		}
	}

	// sectionOf makes the section of a package.
	sectionOf(p) {
		const groups = p.groups.map((group) => {
			const title = (group.exported ? "" : "not exported: ") + (group.type === "" ? "functions" : "type " + group.type);
			return {
				group, title,
				element: this.groupOf(group, title),
			};
		});
		return {
			package: p, groups,
			element: element("section", { class: "package", id: p.anchor, tabindex: -1 },
				element("h2", null, p.path), p.doc !== "" && element("p", { class: "doc" }, p.doc), groups.map((g) => g.element)),
		};
	}

	// groupOf makes the section of a group. Out of sight it is as high as its cards are likely to be.
	groupOf(group, title) {
		const made = element("section", { class: "group", id: this.groupAnchor(group), tabindex: -1 },
			element("h3", null, title), group.functions.map((fn) => this.cards[fn.at]));
		made.style.setProperty("--cards", group.functions.length);
		return made;
	}

	groupAnchor(group) {
		return `${group.package.anchor}:${group.exported ? "" : "-"}${group.type}`;
	}

	// contents lists packages and types, with the way to each.
	contents() {
		const item = (anchor, text, ...below) => element("li", null, element("a", { href: linkTo(anchor) }, text), below);
		const types = (s) => s.groups.filter((g) => g.group.exported).map((g) => item(g.element.id, g.group.type === "" ? "functions" : g.group.type));
		const rest = (s) => s.groups.filter((g) => !g.group.exported).slice(0, 1).map((g) => item(g.element.id, "not exported"));
		return element("nav", { class: "contents", "aria-label": "packages and types" }, element("ul", null,
			this.sections.map((s) => item(s.package.anchor, shortPath(s.package, this.api.packages), element("ul", null, types(s), rest(s))))));
	}

	legend() {
		const bars = "bars: calls, higher for ten times as many by the same amount, each bar for twice as much as the one before";
		return grey ? sidesLegend("; ", bars) : element("p", { class: "legend" }, bars + "; share of the function’s time or memory 0", heatLegend(), "100%");
	}

	// filter shows the functions for which keep is true.
	filter(keep) {
		this.keep = keep;
		if (!this.cards) {
			return;
		}
		this.shown = this.api.functions.filter((fn) => {
			const kept = keep(fn);
			this.cards[fn.at].hidden = !kept;
			return kept;
		});
		const left = new Set(this.shown);
		for (const s of this.sections) {
			for (const g of s.groups) {
				g.element.hidden = !g.group.functions.some((fn) => left.has(fn));
			}
			s.element.hidden = s.groups.every((g) => g.element.hidden);
		}
		if (!left.has(this.active)) {
			this.activate(this.shown[0]);
		}
		this.onShown(this.shown.length);
	}

	// activate makes a card the one that is on the way of Tab, and its links; undefined: none is.
	activate(fn) {
		for (const [of, tabIndex] of [[this.active, -1], [fn, 0]]) {
			if (of) {
				const card = this.cards[of.at];
				card.tabIndex = tabIndex;
				card.querySelectorAll("a").forEach((a) => (a.tabIndex = tabIndex));
			}
		}
		this.active = fn;
	}

	// goTo scrolls to a function and marks its card.
	goTo(fn) {
		this.make();
		this.fill(fn);
		this.mark(fn);
		this.activate(fn);
		const card = this.cards[fn.at];
		card.focus({ preventScroll: true });
		card.scrollIntoView({ block: "start" });
	}

	// goToSection scrolls to a package or type, by its anchor, and says whether there is one.
	goToSection(anchor) {
		const section = this.sections.flatMap((s) => [s, ...s.groups]).find((s) => s.element.id === anchor);
		section?.element.focus({ preventScroll: true });
		section?.element.scrollIntoView({ block: "start" });
		return section !== undefined;
	}

	// mark shows which function the address leads to; null: none.
	mark(fn) {
		this.region.querySelector(".card[aria-current]")?.removeAttribute("aria-current");
		if (fn && this.cards) {
			this.cards[fn.at].setAttribute("aria-current", "true");
		}
	}

	focused(event) {
		const fn = this.of?.get(event.target.closest(".card"));
		if (fn && fn !== this.active) {
			this.fill(fn);
			this.activate(fn);
		}
	}

	key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey || !event.target.closest(".card")) {
			return;
		}
		const i = this.shown.indexOf(this.active);
		const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: this.shown.length - 1 }[event.key];
		if (to !== undefined) {
			event.preventDefault();
			this.focus(this.shown[Math.max(0, Math.min(to, this.shown.length - 1))]);
		} else if (event.key === "Enter" && !event.target.closest("a")) {
			location.hash = this.active.row.id;
		}
	}

	// focus moves to a card.
	focus(fn) {
		if (fn) {
			this.fill(fn);
			this.activate(fn);
			const card = this.cards[fn.at];
			card.focus({ preventScroll: true });
			card.scrollIntoView({ block: "nearest" });
		}
	}
}

// shortPath is the path of a package without the parts that all have in common but for the last.
function shortPath(of, packages) {
	const parts = packages.map((p) => p.path.split("/"));
	let shared = 0;
	while (parts.length > 1 && parts.every((list) => list.length > shared + 1 && list[shared] === parts[0][shared])) {
		shared++;
	}
	return of.path.split("/").slice(shared).join("/");
}
