"use strict";

// A MarkerTable shows rows in a table of which only the lines in sight are elements:
// 20,000 rows scroll and sort as 20 do. Two empty lines stand for those above and below.
class MarkerTable {
	// view is the element that scrolls, around the table. onShown is told how many rows
	// there are to see.
	constructor(view, table, columns, rows, onShown) {
		Object.assign(this, { view, table, columns, rows, onShown });
		this.body = table.tBodies[0];
		this.order = rows; // all, sorted
		this.shown = rows; // those of them that are not filtered out
		this.keep = () => true;
		this.active = 0; // index in shown of the line that keys move
		this.open = null; // the row that is open
		this.lines = new Map(); // index in shown → <tr>
		this.above = element("tr", { class: "space", "aria-hidden": "true" });
		this.below = element("tr", { class: "space", "aria-hidden": "true" });
		this.body.append(this.above, this.below);
		this.head();
		view.addEventListener("scroll", () => this.draw(), { passive: true });
		view.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.draw()).observe(view);
	}

	// head makes the columns' heads, and gives them their widths.
	head() {
		const cells = this.columns.map((c) => {
			const cell = element("th", { scope: "col", class: c.left ? "left " + c.key : c.key, "aria-sort": c.head ? null : "none", title: c.about },
				c.head ?? element("button", { type: "button", "data-key": c.key, click: () => this.sort(c.key) }, c.title));
			return cell;
		});
		this.table.tHead.rows[0].append(...cells);
		this.heads = cells;
		const group = this.table.querySelector("colgroup");
		for (const c of this.columns) {
			const col = element("col", { class: c.key });
			col.style.width = c.width;
			group.append(col);
		}
		this.table.style.minWidth = `calc(${this.columns.map((c) => c.width).join(" + ")})`;
	}

	// sort sorts by a column: the other way round if it is sorted by it already.
	sort(key, direction) {
		const column = this.columns.find((c) => c.key === key && !c.head) ?? this.columns[0];
		direction ??= this.sorted === column ? -this.direction : column.first;
		this.sorted = column;
		this.direction = direction;
		this.order = sortRows(this.rows, column, direction);
		this.columns.forEach((c, i) => {
			if (!c.head) {
				this.heads[i].setAttribute("aria-sort", c !== column ? "none" : direction > 0 ? "ascending" : "descending");
			}
		});
		this.refresh();
	}

	// filter shows the rows for which keep is true.
	filter(keep) {
		this.keep = keep;
		this.refresh();
	}

	refresh() {
		this.shown = this.order.filter(this.keep);
		this.active = 0;
		this.table.setAttribute("aria-rowcount", this.shown.length + 1);
		for (const line of this.lines.values()) {
			line.remove();
		}
		this.lines.clear();
		this.view.scrollTop = 0;
		this.draw();
		this.onShown(this.shown.length);
	}

	// draw makes the lines that are in sight, and drops those that are not.
	draw() {
		this.height ??= this.measure();
		const inSight = Math.ceil(this.view.clientHeight / this.height);
		const spare = 8;
		const top = Math.floor(this.view.scrollTop / this.height);
		const first = Math.max(0, Math.min(top - spare, this.shown.length - 1));
		const last = Math.min(this.shown.length, top + inSight + spare); // one past it
		const gone = [...this.lines].filter(([i]) => i < first || i >= last);
		if (gone.some(([, line]) => line.contains(document.activeElement))) {
			this.view.focus({ preventScroll: true }); // keys go on working. Before lines go: it lays the page out
		}
		for (const [i, line] of gone) {
			line.remove();
			this.lines.delete(i);
		}
		let after = this.above;
		for (let i = first; i < last; i++) {
			let line = this.lines.get(i);
			if (!line) {
				line = this.line(i);
				this.lines.set(i, line);
				after.after(line);
			}
			after = line;
		}
		this.above.style.height = first * this.height + "px";
		this.below.style.height = Math.max(0, this.shown.length - last) * this.height + "px";
	}

	// measure gives the height of a line, in pixels.
	measure() {
		if (this.shown.length === 0) {
			return 24;
		}
		const line = this.line(0);
		this.above.after(line);
		const height = line.getBoundingClientRect().height;
		line.remove();
		return height || 24; // 0: the page is not shown yet
	}

	line(i) {
		const row = this.shown[i];
		const line = element("tr", {
			"aria-rowindex": i + 2,
			"aria-current": row === this.open ? "true" : null,
			class: (row.now ?? row.before).count === 0 ? "unvisited" : null,
			click: (event) => this.clicked(event, row),
		}, this.columns.map((c) => element(c.key === "name" ? "th" : "td",
			{ class: c.left ? "left " + c.key : c.key, scope: c.key === "name" ? "row" : null, title: c.exact(row) }, c.cell(row))));
		if (i === this.active) {
			line.querySelector("a").tabIndex = 0;
		}
		return line;
	}

	// clicked opens the marker wherever in its line the click was, unless text was selected.
	clicked(event, row) {
		this.activate(this.shown.indexOf(row), false);
		if (!event.target.closest("a") && String(getSelection()) === "") {
			location.hash = row.id;
		}
	}

	key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("thead")) {
			return;
		}
		const page = Math.max(1, Math.floor(this.view.clientHeight / this.height) - 2);
		const to = {
			ArrowDown: this.active + 1, ArrowUp: this.active - 1,
			PageDown: this.active + page, PageUp: this.active - page,
			Home: 0, End: this.shown.length - 1,
		}[event.key];
		if (to !== undefined && this.shown.length > 0) {
			event.preventDefault();
			this.activate(Math.max(0, Math.min(to, this.shown.length - 1)), true);
		}
	}

	// activate makes a line the one that keys move from, scrolls to it, and focuses it.
	activate(i, focus) {
		if (i < 0) {
			return;
		}
		const before = this.lines.get(this.active)?.querySelector("a");
		if (before) {
			before.tabIndex = -1;
		}
		this.active = i;
		const head = this.table.tHead.offsetHeight;
		const top = i * this.height;
		if (top < this.view.scrollTop) {
			this.view.scrollTop = top;
		} else if (top + this.height + head > this.view.scrollTop + this.view.clientHeight) {
			this.view.scrollTop = Math.ceil(top + this.height + head - this.view.clientHeight);
		}
		this.draw();
		const link = this.lines.get(i)?.querySelector("a");
		if (link) {
			link.tabIndex = 0;
			if (focus) {
				link.focus({ preventScroll: true });
			}
		}
	}

	// mark shows which row is open; null: none. It is scrolled to.
	mark(row) {
		const was = this.open;
		this.open = row;
		for (const [i, line] of this.lines) {
			if (this.shown[i] === was) {
				line.removeAttribute("aria-current");
			}
			if (this.shown[i] === row) {
				line.setAttribute("aria-current", "true");
			}
		}
		if (row) {
			this.activate(this.shown.indexOf(row), false);
		}
	}
}

// sortRows sorts rows by a column; equal ones stay in their order, which is by name.
function sortRows(rows, column, direction) {
	const values = rows.map(column.value);
	if (typeof values.find((v) => v !== null) === "string" && column.left) {
		const then = column.then ?? (() => 0);
		return rows.toSorted((a, b) => {
			const [x, y] = [values[a.at], values[b.at]];
			return direction * (x < y ? -1 : x > y ? 1 : then(a) - then(b)) || a.at - b.at;
		});
	}
	const blank = direction < 0 && column.blank === 0 ? 0 : NaN;
	const keys = Float64Array.from(values, (v) => (v === null ? blank : Number(v)));
	const large = values.some((v) => typeof v === "string");
	return rows.toSorted((a, b) => {
		const [x, y] = [keys[a.at], keys[b.at]];
		if (x !== y) {
			const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
			if (noX || noY) {
				return noX - noY || a.at - b.at;
			}
			return direction * (x < y ? -1 : 1);
		}
		return (large && direction * compareWhole(values[a.at] ?? 0, values[b.at] ?? 0)) || a.at - b.at;
	});
}
