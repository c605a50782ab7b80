"use strict";

// The API of packages: their functions, from what report/html_api.go says of the markers.

// arrangeAPI makes an object of each function:
//
//	at                    its place in the order in which they are shown
//	row                   the marker
//	package, type, name   type is "" if it is no method
//	exported, doc, signature
//	labels, evidence      how its time behaves; evidence are pairs of a property and what is known of it
//	title                 its name within its package
//	anchor                what the address of the page has to lead to it
//
// packages have groups of functions: those that are methods of a type, those that are of none,
// exported ones before others.
function arrangeAPI(data, rows) {
	const { only, packages: named, functions: c } = data;
	const packages = named.map((p) => ({ ...p, anchor: "pkg:" + p.path, groups: [] }));
	const functions = c.at.map((marker, at) => ({
		at,
		row: rows[marker],
		package: packages[c.package[at]],
		type: c.type[at],
		name: c.name[at],
		exported: c.exported[at] === 1,
		doc: c.doc[at],
		signature: c.signature[at],
		labels: [],
		evidence: [],
		title: (c.type[at] === "" ? "" : c.type[at] + ".") + c.name[at],
	}));
	for (const s of data.shapes) {
		functions[s.at].labels = s.labels;
		functions[s.at].evidence = s.evidence;
	}
	for (const fn of functions) {
		const groups = fn.package.groups;
		const last = groups.at(-1);
		if (last && last.type === fn.type && last.exported === fn.exported) {
			last.functions.push(fn);
		} else {
			groups.push({ package: fn.package, type: fn.type, exported: fn.exported, functions: [fn] });
		}
	}
	return { only, packages, functions, withAnchor: anchorsOf(functions) };
}

// anchorsOf gives each function its anchor: pkg.Func or pkg.Type.Method, with the path of the
// package in place of its name where several packages have that name, and the marker's ID behind
// it where that does not tell them apart either. What comes back finds functions by anchor, by path
// and, while that is one function's alone, by name without a package.
function anchorsOf(functions) {
	const short = (fn) => `${fn.package.name}.${fn.title}`;
	const long = (fn) => `${fn.package.path}.${fn.title}`;
	const shorts = Map.groupBy(functions, short);
	const longs = Map.groupBy(functions, long);
	const found = new Map();
	for (const [title, list] of Map.groupBy(functions, (fn) => fn.title)) {
		if (list.length === 1) {
			found.set(title, list[0]);
		}
	}
	for (const fn of functions) {
		found.set(fn.row.name, fn);
		found.set(long(fn), fn);
	}
	for (const fn of functions) {
		fn.anchor = shorts.get(short(fn)).length === 1 ? short(fn) : longs.get(long(fn)).length === 1 ? long(fn) : `${long(fn)}.${fn.row.id}`;
		found.set(fn.anchor, fn);
	}
	return found;
}

// linkTo is the address in the page of an anchor.
function linkTo(anchor) {
	return "#" + encodeURIComponent(anchor);
}

// addressed is the anchor that the page's address has, "" if it has none.
function addressed() {
	const hash = location.hash.slice(1);
	try {
		return decodeURIComponent(hash);
	} catch {
		return hash; // a percent sign that was written as it is
	}
}
