"use strict";

// A FlameGraph shows the calling context tree as an icicle: a frame a node, callers above what they call. Frames
// are drawn on a canvas, and only those in sight that are as wide as a pixel, so that 50,000 nodes are no burden.
class FlameGraph {
	// region is where it is shown. onOpen is called with the row of a frame that is opened, onShown when
	// other frames are highlighted or the widths have changed.
	constructor(region, report, onOpen, onShown) {
		Object.assign(this, { region, report, onOpen, onShown });
		this.paths = report.paths;
		this.tree = this.paths.tree;
		this.measure = this.paths.measures[0];
		this.label = 0; // that is shown alone
		this.side = 0; // whose widths are shown
		this.zoomed = 0; // the node that takes the whole width
		this.selected = 0; // the node that keys move from
		this.opened = null; // the node whose panel was opened
		this.keep = null; // says of a row whether it is highlighted; null: all are
		this.controls();
		this.canvas = element("canvas", { "aria-hidden": "true" });
		this.space = element("div", { class: "space" });
		this.frames = element("div", {
			class: "frames", tabindex: 0, role: "application", "aria-label": "flame graph", "aria-describedby": "flame-keys frame",
			scroll: () => this.draw(),
			keydown: (event) => this.key(event),
			click: (event) => this.clicked(event),
			pointermove: (event) => this.tell(Math.max(this.nodeAt(event), 0)),
			pointerleave: () => this.tell(this.selected),
		}, this.canvas, this.space);
		this.told = element("output", { id: "frame", "aria-live": "polite" });
		this.legend = element("p", { class: "legend" });
		region.append(this.bar, this.told, this.frames, this.legend);
		this.colors = new FrameColors(report);
		this.place();
		new ResizeObserver(() => this.draw()).observe(this.frames);
	}

	// controls makes what is above the frames.
	controls() {
		const { labels, measures } = this.paths;
		const choice = (id, title, options, set) => options.length > 1 && element("label", null, title + " ",
			element("select", { id, change: (event) => (set(event.target.value), this.place()) },
				options.map(([value, text]) => element("option", { value }, text))));
		const { compared } = this.report;
		this.colorBy = compared ? "change" : "package";
		this.back = element("button", { type: "button", click: () => this.zoom(0), disabled: true }, "whole");
		this.bar = element("div", { class: "bar" },
			choice("width", "width", measures.map(({ key }) => [key, key]), (key) => (this.measure = measures.find((m) => m.key === key))),
			choice("color", "colour", compared ? [["change", "change of share"], ["package", "package"]] : [["package", "package"]], (by) => (this.colorBy = by)),
			choice("label", "label", labels.length < 2 ? [] : [["each", "each apart"], ["all", "added up"], ...labels.slice(1).map((text, i) => [i + 1, "only " + text])], (value) => this.split(value)),
			compared && element("label", null, element("input", { id: "old-widths", type: "checkbox", change: (event) => ((this.side = event.target.checked ? 1 : 0), this.place()) }), " widths of old"),
			element("button", { type: "button", click: () => this.zoom(this.selected) }, "zoom"), this.back,
			element("span", { id: "flame-keys", class: "keys" }, [["/", "search"], ["↑", ""], ["↓", ""], ["←", ""], ["→", "move"], ["Space", "or click: open"], ["Enter", "or double-click: zoom"], ["Esc", "whole"]].flatMap(([key, does]) =>
				[element("kbd", null, key), ` ${does} `])));
	}

	// split shows the labels each apart, added up, or one alone.
	split(value) {
		this.tree = value === "all" ? this.paths.merged : this.paths.tree;
		this.label = Number(value) || 0;
		[this.zoomed, this.selected, this.opened] = [0, 0, null];
	}

	// place computes where all frames are.
	place() {
		const widths = this.report.compared ? [0, 1].map((side) => this.tree.widths(this.measure.key, side, this.label)) : [this.tree.widths(this.measure.key, 0, this.label)];
		Object.assign(this, this.tree.layout(widths[this.side]));
		this.change = this.report.compared ? Float64Array.from(widths[0], (w, i) => w / (widths[0][0] || 1) - widths[1][i] / (widths[1][0] || 1)) : null;
		this.depth = new Int32Array(this.tree.length);
		this.deepest = 0;
		for (let i = 1; i < this.tree.length; i++) {
			this.depth[i] = this.depth[this.tree.parent[i]] + 1;
			this.deepest = this.width[i] > 0 ? Math.max(this.deepest, this.depth[i]) : this.deepest;
		}
		this.colors.choose(this);
		this.legend.replaceChildren(...this.colors.legend());
		this.space.style.height = (this.deepest + 1) * rowHeight + "px";
		this.highlight(this.keep);
		this.zoom(this.width[this.zoomed] > 0 ? this.zoomed : 0, this.width[this.selected] > 0 ? this.selected : 0);
	}

	// highlight dims the frames for whose row and label keep is false; null: none.
	highlight(keep) {
		this.keep = keep;
		this.matched = this.found = null;
		if (keep) {
			const kept = this.report.rows.map((row) => keep(row, ""));
			const label = (i) => this.paths.labels[this.tree.label[i]].toLowerCase();
			this.matched = Uint8Array.from(this.tree.marker, (at, i) => (at >= 0 && (kept[at] || (this.tree.label[i] > 0 && keep(this.report.rows[at], label(i)))) ? 1 : 0));
			const within = new Uint8Array(this.tree.length);
			this.found = { frames: 0, width: 0, widest: 0 };
			for (let i = 1; i < this.tree.length; i++) {
				const outer = within[this.tree.parent[i]];
				within[i] = outer | this.matched[i];
				if (this.matched[i] && this.width[i] > 0) {
					this.found.frames++;
					this.found.width += outer ? 0 : this.width[i];
					if (this.found.widest === 0 || this.width[i] > this.width[this.found.widest]) {
						this.found.widest = i;
					}
				}
			}
		}
		this.onShown();
		this.draw();
	}

	// summary says how many frames are shown, and which part of the whole those that were searched for take.
	summary() {
		const all = this.width.reduce((n, w, i) => n + (i > 0 && w > 0 ? 1 : 0), 0);
		return this.found ? `${count(this.found.frames)} of ${plural(all, "frame")}, ${percent(this.shareOf(this.found.width))}` : plural(all, "frame");
	}

	shareOf(width) {
		return this.width[0] > 0 ? width / this.width[0] : 0;
	}

	// name is what a node is called: its marker, with the label.
	name(node) {
		return node === 0 ? "all goroutines" : nodeName(this.report, this.tree, node);
	}

	// row is that of a node's marker; undefined: it has none.
	row(node) {
		return this.report.rows[this.tree.marker[node]];
	}

	// tell says what a frame is, below the controls and to screen readers.
	tell(node) {
		const width = this.width[node];
		const overlap = this.tree.overlap[node] === 1;
		const total = this.measure.key === "total" && node > 0 ? this.tree.value("total", this.side, node) : width;
		const own = overlap ? total : Math.min(width, total);
		const parts = [`${this.measure.key} ${this.measure.write(own)}, ${own < width && !overlap ? `with what it started ${this.measure.write(width)}, ` : ""}${percent(this.shareOf(width))}`];
		if (node > 0) {
			parts.push("count " + count(this.tree.value("count", this.side, node)));
			if (!this.report.noSelf && this.measure.key !== "self") {
				parts.push("self " + wholeDuration(this.tree.value("self", this.side, node)));
			}
		}
		if (this.change && node > 0) {
			parts.push("of the whole " + points(this.change[node]));
		}
		this.told.replaceChildren(element("b", null, this.name(node)), " " + parts.join("; "));
	}

	// clicked selects and opens a frame; the second click of a double-click zooms to it.
	clicked(event) {
		if (event.detail === 2) {
			this.zoom(this.selected); // what was opened may have moved the frames
			return;
		}
		const node = this.nodeAt(event);
		if (event.detail < 2 && node >= 0) {
			this.select(node);
			this.openSelected();
		}
	}

	// open selects a frame of the tree with labels, and opens its panel.
	open(node) {
		if (this.tree !== this.paths.tree) {
			byID("label").value = "each";
			this.split("each");
			this.place();
		}
		this.show(node);
		this.opened = node;
		this.onOpen(this.row(node));
	}

	// openSelected opens the panel of the selected frame.
	openSelected() {
		const row = this.row(this.selected);
		if (row) {
			this.opened = this.tree === this.paths.tree ? this.selected : null;
			this.onOpen(row);
		}
	}

	// nodeAt is the node at the place of a pointer, -1 if there is none.
	nodeAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const depth = Math.floor((event.clientY - box.top + this.frames.scrollTop) / rowHeight);
		const at = this.start[this.zoomed] + ((event.clientX - box.left) / box.width) * this.width[this.zoomed];
		let node = this.zoomed;
		if (depth <= this.depth[node]) {
			while (this.depth[node] > depth) {
				node = this.tree.parent[node];
			}
			return depth < 0 ? -1 : node;
		}
		while (node >= 0 && this.depth[node] < depth) {
			node = this.childrenOf(node).find((child) => this.start[child] <= at && at < this.start[child] + this.width[child]) ?? -1;
		}
		return node;
	}

	// zoom makes a frame as wide as the graph, and selects one.
	zoom(node, selected = node) {
		this.zoomed = node;
		this.back.disabled = node === 0;
		this.select(selected);
	}

	// select makes a frame the one that keys move from, and scrolls to it.
	select(node) {
		this.selected = node;
		const [top, height] = [this.depth[node] * rowHeight, this.frames.clientHeight];
		if (top < this.frames.scrollTop) {
			this.frames.scrollTop = top;
		} else if (top + rowHeight > this.frames.scrollTop + height) {
			this.frames.scrollTop = top + rowHeight - height;
		}
		this.tell(node);
		this.draw();
	}

	// show selects a frame for somebody else: it zooms out if the frame is not in sight.
	show(node) {
		this.zoom(this.tree.chain(node).includes(this.zoomed) ? this.zoomed : 0, node);
	}

	// mark selects the widest frame of the row that is open, unless one is selected; null: none is open.
	mark(row) {
		if (row === null || this.row(this.selected) === row) {
			return;
		}
		this.opened = null;
		let widest = 0;
		this.tree.marker.forEach((at, i) => {
			if (at === row.at && (widest === 0 || this.width[i] > this.width[widest])) {
				widest = i;
			}
		});
		if (this.width[widest] > 0) {
			this.show(widest);
		}
	}

	// focusFound moves to the widest frame that was searched for.
	focusFound() {
		if (this.found?.widest > 0) {
			this.show(this.found.widest);
		}
		this.focus();
	}

	focus() {
		this.frames.focus({ preventScroll: true });
	}

	key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey) {
			return;
		}
		const { selected } = this;
		const siblings = selected > 0 && selected !== this.zoomed ? [...this.childrenOf(this.tree.parent[selected])].filter((i) => this.width[i] > 0) : [selected];
		const at = siblings.indexOf(selected);
		const child = this.childrenOf(selected)[0];
		const to = {
			ArrowUp: this.tree.parent[selected],
			ArrowDown: child !== undefined && this.width[child] > 0 ? child : selected,
			ArrowLeft: siblings[Math.max(0, at - 1)],
			ArrowRight: siblings[Math.min(siblings.length - 1, at + 1)],
			Home: this.zoomed,
		}[event.key];
		if (to !== undefined) {
			this.select(this.depth[selected] < this.depth[this.zoomed] && event.key === "ArrowDown" ? this.below(selected) : to);
		} else if (event.key === "Enter") {
			this.zoom(selected);
		} else if (event.key === " ") {
			this.openSelected();
		} else if (event.key === "Escape" && this.zoomed !== 0) {
			event.stopPropagation(); // the panel stays open
			this.zoom(0);
		} else {
			return;
		}
		event.preventDefault();
	}

	// below is the child of a node on the way to the zoomed one.
	below(node) {
		return this.tree.chain(this.zoomed)[this.depth[node]];
	}

	// draw draws the frames in sight.
	draw() {
		const { clientWidth: width, clientHeight: height, scrollTop: top } = this.frames;
		if (width === 0 || height === 0) {
			return; // not shown
		}
		const scale = devicePixelRatio;
		if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
			[this.canvas.width, this.canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
			[this.canvas.style.width, this.canvas.style.height] = [width + "px", height + "px"];
		}
		const pen = this.canvas.getContext("2d");
		pen.setTransform(scale, 0, 0, scale, 0, -top * scale);
		pen.clearRect(0, top, width, height);
		pen.font = frameFont;
		pen.textBaseline = "middle";
		const letter = pen.measureText("m").width;
		const unit = this.width[this.zoomed] > 0 ? width / this.width[this.zoomed] : 0;
		const from = this.start[this.zoomed];
		this.drawn = 0;
		const frame = (node, x, w) => {
			const y = this.depth[node] * rowHeight;
			if (y + rowHeight > top && y < top + height) {
				this.drawn++;
				this.frame(pen, letter, node, x, y, w);
			}
		};
		for (const node of [0, ...this.tree.chain(this.zoomed)]) {
			frame(node, 0, width);
		}
		const open = [this.zoomed];
		while (open.length > 0) {
			const node = open.pop();
			if ((this.depth[node] + 1) * rowHeight >= top + height) {
				continue;
			}
			for (const child of this.childrenOf(node)) {
				const w = this.width[child] * unit;
				if (w < 1) { // and so are the others
					this.rest(pen, node, (this.start[child] - from) * unit);
					break;
				}
				frame(child, (this.start[child] - from) * unit, w);
				open.push(child);
			}
		}
		this.outline(pen, from, unit, width);
	}

	// frame draws one frame with as much of its name as there is room for.
	frame(pen, letter, node, x, y, w) {
		pen.globalAlpha = this.matched && !this.matched[node] ? 0.25 : this.depth[node] < this.depth[this.zoomed] ? 0.6 : 1;
		pen.fillStyle = this.colors.of(node);
		pen.fillRect(x, y, Math.max(w - 1, 0.5), rowHeight - 1);
		const letters = Math.floor((w - 6) / letter);
		if (letters >= 3) {
			pen.fillStyle = this.colors.ink;
			pen.fillText(cut(this.name(node), letters), x + 3, y + rowHeight / 2);
		}
		pen.globalAlpha = 1;
	}

	// rest draws a line where the children of a node are narrower than a pixel.
	rest(pen, node, x) {
		const unit = this.frames.clientWidth / this.width[this.zoomed];
		const last = this.childrenOf(node).findLast((i) => this.width[i] > 0);
		const end = last === undefined ? 0 : (this.start[last] + this.width[last] - this.start[this.zoomed]) * unit;
		if (end - x >= 0.5) {
			pen.fillStyle = this.colors.faint;
			pen.fillRect(x, (this.depth[node] + 1) * rowHeight, end - x, 2);
		}
	}

	// outline shows which frame is selected.
	outline(pen, from, unit, width) {
		const above = this.depth[this.selected] <= this.depth[this.zoomed];
		const x = above ? 0 : (this.start[this.selected] - from) * unit;
		const w = above ? width : Math.max(this.width[this.selected] * unit, 3);
		pen.strokeStyle = this.colors.link;
		pen.lineWidth = 2;
		pen.strokeRect(x + 1, this.depth[this.selected] * rowHeight + 1, Math.max(w - 3, 1), rowHeight - 3);
	}

	// redraw draws in the colours that are now.
	redraw() {
		this.colors.choose(this);
		this.legend.replaceChildren(...this.colors.legend());
		this.draw();
	}
}

// nodeName is the short name of a node's marker, with the label.
function nodeName(report, tree, node) {
	const label = report.paths.labels[tree.label[node]];
	return (tree.go[node] ? "go " : "") + (report.rows[tree.marker[node]]?.short ?? "other") + (label === "" ? "" : ` [${label}]`);
}

const rowHeight = 19; // pixels
const frameFont = "12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

// cut shortens a name to so many letters. The package goes first: what distinguishes names is behind it.
function cut(name, letters) {
	if (name.length > letters) {
		const short = name.replace(/^((?:go )?)[^\s[(]*\/(?=[^\s/])/, "$1");
		name = short.length > letters ? short.slice(0, letters - 1) + "…" : short;
	}
	return name;
}

// points writes a change of a share in percentage points.
function points(change) {
	const text = Math.abs(100 * change).toFixed(2);
	return text === "0.00" ? "±0" : (change > 0 ? "+" : "−") + text + " points";
}
