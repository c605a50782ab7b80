"use strict";

// FrameColors gives the frames of a flame graph colours: a hue for each of the packages that take most, in shades
// that differ between functions, or red and green for what takes a larger and a smaller part than before. Names
// are readable on all of them.
class FrameColors {
	constructor(report) {
		this.report = report;
		this.shades = report.rows.map((row) => [...row.name.split(":")[0]].reduce((sum, letter) => (31 * sum + letter.codePointAt(0)) % 65_521, 7) % frameShades);
	}

	// choose takes the colours for a graph as it is now, in the theme that is now.
	choose(graph) {
		this.graph = graph;
		[this.ink, this.faint, this.link] = ["--ink", "--faint", "--link"].map(colorOf);
		this.dark = Number(colorOf("--ground").match(/\d+/)[0]) < 128;
		this.plain = this.dark ? "hsl(210 6% 27%)" : "hsl(210 10% 85%)";
		if (graph.colorBy === "change") {
			this.largest = graph.change.reduce((most, c) => Math.max(most, Math.abs(c)), 0);
			return;
		}
		const { packages, packageOf } = this.report.paths;
		this.own = new Float64Array(packages.length); // width without children, of each package
		const { tree, width } = graph;
		for (let i = 1; i < tree.length; i++) {
			const at = tree.marker[i];
			if (at >= 0) {
				this.own[packageOf[at]] += width[i];
			}
			const up = tree.marker[tree.parent[i]];
			if (up >= 0) {
				this.own[packageOf[up]] -= width[i];
			}
		}
		this.ranked = packages.map((_, i) => i).toSorted((a, b) => this.own[b] - this.own[a] || a - b).slice(0, frameHues.length);
		this.filled = packages.map((_, i) => {
			const rank = this.ranked.indexOf(i);
			return Array.from({ length: frameShades }, (_, shade) => (rank < 0 ? this.plain : packageColor(frameHues[rank], shade, this.dark)));
		});
	}

	// changed is the colour of a change, which is more or less than zero.
	changed(change) {
		return changeColor(change > 0, this.largest > 0 ? Math.sqrt(Math.abs(change) / this.largest) : 0, this.dark);
	}

	// of is the colour of a node's frame.
	of(node) {
		if (this.graph.colorBy === "change") {
			const change = this.graph.change[node];
			return node === 0 || Math.abs(change) < 1e-4 ? this.plain : this.changed(change);
		}
		const at = this.graph.tree.marker[node];
		return at < 0 ? this.plain : this.filled[this.report.paths.packageOf[at]][this.shades[at]];
	}

	// legend says what the colours mean.
	legend() {
		const swatch = (color, text) => {
			const box = element("span", { class: "swatch", "aria-hidden": "true" });
			box.style.background = color;
			return element("span", { class: "item" }, box, text);
		};
		if (this.graph.colorBy === "change") {
			return [swatch(this.changed(this.largest || 1), `a larger part of ${this.graph.measure.key} than in old`), swatch(this.changed(-this.largest || -1), "a smaller part"), swatch(this.plain, "as before")];
		}
		const { packages } = this.report.paths;
		return [
			...this.ranked.filter((i) => this.own[i] > 0).map((i) => swatch(this.filled[i][0], `${packages[i] || "no package"} ${percent(this.graph.shareOf(this.own[i]))}`)),
			packages.length > frameHues.length && swatch(this.plain, "others"),
		].filter((part) => part);
	}
}

const frameHues = [205, 32, 145, 275, 350, 180, 58, 315, 100, 240];
const frameShades = 4;

function packageColor(hue, shade, dark) {
	return dark ? `hsl(${hue} 38% ${27 - 2 * shade}%)` : `hsl(${hue} 62% ${86 - 4 * shade}%)`;
}

// changeColor is stronger for a larger part of the largest change.
function changeColor(grown, part, dark) {
	const [h, s] = grown ? [4, 70] : [152, 45];
	return dark ? `hsl(${h} ${s - 15}% ${22 + 8 * part}%)` : `hsl(${h} ${s}% ${92 - 22 * part}%)`;
}
