"use strict";

// The data stand in the page as gzip in base64: JSON by columns, see report/html_data.go.

// unpack gives the data as they are in the page.
async function unpack() {
	if (typeof DecompressionStream === "undefined") {
		throw new Error("this browser can't unpack the data of the page (it has no DecompressionStream); browsers from 2023 on can, and markgen report without -format prints the same as text");
	}
	const packed = byID("data").textContent.trim();
	const bytes = Uint8Array.fromBase64?.(packed) ?? Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).json();
}

// arrange makes of the columns one object a marker, a row:
//
//	at, id, name, kind, file (and fileAt, its number), line, place
//	link: the address of the file, with {line} in it; "": it has none
//	short: the name without what all names begin with
//	header: that of a loop or branch in the source; "": not known
//	bareKind: the kind without the rate and what else may stand behind it
//	verdict: what the comparison of the runs has found, see report/html_verdicts.go, with its place in the order of
//	markgen diff as order; null where nothing was compared
//	now, before: its figures in the profile and in the one it is compared with; null where it is not
//	guess: it may not be the same in both
//
// and of the rest what is asked for by row.
function arrange(data) {
	const m = data.markers;
	const rows = m.name.map((name, at) => {
		const file = m.file[at] < 0 ? "" : data.files[m.file[at]];
		return {
			at, name, file,
			short: name.startsWith(data.prefix) ? name.slice(data.prefix.length) : name,
			fileAt: m.file[at],
			link: data.links[m.file[at]] ?? "",
			id: m.id[at],
			kind: data.kinds[m.kind[at]],
			bareKind: data.kinds[m.kind[at]].split(/[ ,]/)[0],
			line: m.line[at],
			header: m.header[at] ?? "",
			place: file === "" ? none : m.line[at] === 0 ? file : file + ":" + m.line[at],
			verdict: null,
			now: null,
			before: null,
			guess: false,
		};
	});
	for (const at of data.guesses) {
		rows[at].guess = true;
	}
	const names = ["now", "before"];
	const memory = memoryCollector(data.sides);
	data.sides.forEach((side, i) => {
		const list = figures(side.figures, side.quantum);
		for (const at of side.missing) {
			list[at] = null;
		}
		for (const n of side.notes) {
			list[n.at].notes = n.notes;
		}
		for (const o of side.open) {
			list[o.at].open = o.n;
		}
		for (const s of side.sampled) {
			list[s.at].sampled = s;
		}
		for (const d of side.demoted) {
			list[d.at].demoted = d;
		}
		const callers = figures(side.callers.figures, side.quantum);
		side.callers.of.forEach((at, k) => {
			list[at].callers.push({ id: side.callers.id[k], name: side.callers.name[k], figures: callers[k] });
		});
		for (const s of side.sizes) {
			list[s.at].sizes.push(s);
		}
		for (const r of side.readings) {
			list[r.at].readings.push(r);
			if (r.collector === memory) {
				list[r.at].memory = memoryOf(r);
			}
		}
		list.forEach((f, at) => (rows[at][names[i]] = f));
	});
	data.verdicts?.markers.forEach((v, order) => (rows[v.at].verdict = { ...v, order }));
	const costs = rows.map((row) => (row.now ? cost(row.now, data.sides[0].noSelf) : 0));
	return {
		rows,
		api: arrangeAPI(data.api, rows),
		paths: arrangePaths(data.paths, rows, data.sides.some((side) => side.noSelf)),
		sort: data.sort,
		prefix: data.prefix,
		unvisited: new Set(data.unvisited),
		memory,
		compared: data.sides.length > 1,
		judged: data.verdicts !== null,
		noSelf: data.sides.some((side) => side.noSelf),
		waits: data.sides[0].waits,
		cost: costs.reduce((sum, one) => sum + one, 0),
		mostCost: costs.reduce((most, one) => Math.max(most, one), 0),
		sources: new Map(data.sources.map((s) => [s.file, s])),
		withID: new Map(rows.map((row) => [row.id, row])),
	};
}

// figures makes one object of each row of the columns. timed is whether there are times, quantum the clock's smallest step.
function figures(c, quantum) {
	let start = 0;
	return c.count.map((_, i) => {
		const end = start + c.buckets[i];
		const f = {
			columns: c, start, end, quantum,
			timed: end > start,
			count: c.count[i], total: c.total[i], self: c.self[i],
			running: c.running[i] ?? c.self[i], waiting: c.self[i] - (c.running[i] ?? c.self[i]),
			mean: c.mean[i], stddev: c.stddev[i],
			min: c.min[i], p50: c.p50[i], p90: c.p90[i], p99: c.p99[i], max: c.max[i],
			notes: [],
			open: 0,
			sampled: null,
			demoted: null,
			callers: [],
			sizes: [],
			readings: [],
			memory: null,
		};
		start = end;
		return f;
	});
}

// memoryCollector says which collector the page's figures of memory are of: that of deep builds, which
// is exact, or else the one of what the process allocated meanwhile; null if there is neither.
function memoryCollector(sides) {
	const has = (name) => sides.some((side) => side.readings.some((r) => r.collector === name));
	return ["alloc", "process_alloc"].find(has) ?? null;
}

// memoryOf is what scopes allocated, of what the collector read; null if it is not all there.
function memoryOf(r) {
	const value = (name) => r.values.find((v) => v.name === name);
	const [bytes, objects] = [value("bytes"), value("objects")];
	if (!bytes || !objects || r.scopes === 0) {
		return null;
	}
	const { k, n, sum } = bytes.spread ?? { k: [], n: [], sum: [] };
	return {
		scopes: r.scopes, dropped: r.dropped, bytes, objects,
		buckets: k.map((k, i) => ({ k, count: n[i], sum: sum[i] })),
	};
}

// buckets are those of the figures that are not empty: k (2^k ≤ ns < 2^(k+1)), count, sum.
function buckets(f) {
	const list = [];
	for (let i = f.start; i < f.end; i++) {
		list.push({ k: f.columns.k[i], count: f.columns.n[i], sum: f.columns.sum[i] });
	}
	return list;
}

// cost is what heat is measured by: the self time, of which what goroutines ran where that is known, or the
// total where there is none.
function cost(f, noSelf) {
	return Number(noSelf ? f.total : f.running);
}

// lowest and longest times of bucket k, in ns.
function lowOf(k) {
	return k === 0 ? 0 : 2 ** k;
}
function highOf(k) {
	return 2 ** (k + 1);
}
