"use strict";

// The calling context tree: a node for each chain of open scopes, from what report/html_paths.go says.

// A PathTree has typed arrays with an entry for each node. Node 0 is the whole; a parent comes before its children.
class PathTree {
	// columns has, by measure, an array for each side.
	constructor(n, columns, sides) {
		this.parent = new Int32Array(n);
		this.marker = new Int32Array(n).fill(-1); // index of the row; -1: scopes beyond the limit of nodes
		this.label = new Int32Array(n); // index in report.paths.labels; 0: none
		this.go = new Uint8Array(n); // 1: the first scope of a goroutine
		this.overlap = new Uint8Array(n); // 1: its total may be in that of a node beside it, too
		this.times = []; // by side, the buckets of each node that has some
		this.columns = new Map(columns.map((key) => [key, Array.from({ length: sides }, () => new Float64Array(n))]));
	}

	get length() {
		return this.parent.length;
	}

	// value is a figure of a node.
	value(key, side, node) {
		return this.columns.get(key)[side][node];
	}

	// chain lists the nodes from the outermost scope to this one.
	chain(node) {
		const list = [];
		for (; node > 0; node = this.parent[node]) {
			list.unshift(node);
		}
		return list;
	}

	// withoutLabels is the tree in which paths that differ only in labels are one.
	withoutLabels() {
		const to = new Int32Array(this.length);
		const known = new Map();
		const first = [0]; // node here for each node there
		for (let i = 1; i < this.length; i++) {
			const key = `${to[this.parent[i]]} ${this.marker[i]} ${this.go[i]}`;
			if (!known.has(key)) {
				known.set(key, first.length);
				first.push(i);
			}
			to[i] = known.get(key);
		}
		const keys = [...this.columns.keys()];
		const tree = new PathTree(first.length, keys, this.columns.get(keys[0]).length);
		first.forEach((i, k) => {
			tree.parent[k] = to[this.parent[i]];
			tree.marker[k] = this.marker[i];
			tree.go[k] = this.go[i];
		});
		to.forEach((k, i) => (tree.overlap[k] ||= this.overlap[i]));
		for (const [key, sides] of this.columns) {
			sides.forEach((values, side) => values.forEach((v, i) => (tree.columns.get(key)[side][to[i]] += v)));
		}
		return tree;
	}

	// widths gives each node the width of its frame: of a total the time, or what its children need if that is
	// more; otherwise, and where totals overlap, its own value and those of all nodes below. What goroutines take
	// that it started is added.
	// With a label, only scopes with it and those inside them count.
	widths(key, side, label) {
		const n = this.length;
		const values = this.columns.get(key)[side];
		const self = this.columns.get("self")[side];
		const inside = new Uint8Array(n).fill(label === 0 ? 1 : 0);
		for (let i = 1; i < n; i++) {
			inside[i] ||= inside[this.parent[i]] || this.label[i] === label ? 1 : 0;
		}
		const [width, below, apart] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
		for (let i = n - 1; i >= 0; i--) {
			const total = key === "total" && !this.overlap[i];
			const own = !inside[i] ? 0 : this.overlap[i] && key === "total" ? self[i] : values[i];
			width[i] = apart[i] + (total ? Math.max(own, below[i]) : own + below[i]);
			if (i > 0) {
				(this.go[i] ? apart : below)[this.parent[i]] += width[i];
			}
		}
		return width;
	}

	// layout places the frames: children stand side by side below their parent, the widest first. first and last say
	// where in order the children of a node are, start where its frame begins, in the unit of width.
	layout(width) {
		const n = this.length;
		const first = new Int32Array(n + 1);
		for (let i = 1; i < n; i++) {
			first[this.parent[i] + 1]++;
		}
		for (let i = 0; i < n; i++) {
			first[i + 1] += first[i];
		}
		const order = new Int32Array(n - 1);
		const next = first.slice();
		for (let i = 1; i < n; i++) {
			order[next[this.parent[i]]++] = i;
		}
		const start = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			const children = order.subarray(first[i], first[i + 1]);
			if (children.length > 1) {
				children.sort((a, b) => width[b] - width[a] || a - b);
			}
			let at = start[i];
			for (const child of children) {
				start[child] = at;
				at += width[child];
			}
		}
		return { width, start, childrenOf: (i) => order.subarray(first[i], first[i + 1]) };
	}
}

// arrangePaths makes the tree; null if there are no paths.
//
//	tree, merged      merged is without labels
//	labels            the first is "", no label
//	packages, packageOf   the packages, and the number of that of each row
//	measures          what widths can be of: key, and write for a value
//	of                the nodes of each row that has some
function arrangePaths(data, rows, noSelf) {
	if (data === null) {
		return null;
	}
	const collected = new Set(data.sides.flatMap((side) => side.values.map((v) => v.name)));
	const keys = ["total", "self", "count", ...collected];
	const tree = new PathTree(data.up.length + 1, keys, data.sides.length);
	data.up.forEach((up, i) => {
		tree.parent[i + 1] = up === 0 ? 0 : i + 1 - up;
		tree.marker[i + 1] = data.marker[i];
		tree.label[i + 1] = data.label[i];
	});
	for (const i of data.go) {
		tree.go[i + 1] = 1;
	}
	for (const i of data.overlap) {
		tree.overlap[i + 1] = 1;
	}
	data.sides.forEach((side, s) => {
		const fill = (key, values) => values.forEach((v, i) => (tree.columns.get(key)[s][i + 1] = Number(v)));
		fill("total", side.total);
		fill("self", side.self);
		fill("count", side.count);
		for (const v of side.values) {
			fill(v.name, v.self);
		}
		tree.times[s] = new Map();
		side.buckets?.node.forEach((i, at) => {
			const list = tree.times[s].get(i + 1) ?? [];
			list.push({ k: side.buckets.k[at], count: side.buckets.count[at], sum: side.buckets.sum[at] });
			tree.times[s].set(i + 1, list);
		});
	});
	const of = Map.groupBy(Array.from({ length: data.up.length }, (_, i) => i + 1), (node) => rows[tree.marker[node]]);
	const write = (key) => (v) => (key === "total" || key === "self" ? wholeDuration(v) : key.endsWith("bytes") ? memory(v) : amount(key, v));
	let merged = null;
	return {
		tree, of,
		get merged() {
			return (merged ??= tree.withoutLabels());
		},
		labels: data.labels, packages: data.packages, packageOf: data.package,
		measures: keys.filter((key) => key !== "self" || !noSelf).map((key) => ({ key, write: write(key) })),
	};
}
