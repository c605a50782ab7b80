"use strict";

// Heat is a share from 0 to 1, of time, as a colour from cool to hot. The colours are about
// equally light, so that on either ground what differs is how hot they are; how strong
// they are says something else.
const heatStops = [
	[0x2f, 0x7d, 0xc4],
	[0x66, 0x6c, 0xc9],
	[0x9a, 0x57, 0xb5],
	[0xc6, 0x42, 0x85],
	[0xdc, 0x3d, 0x3d],
];

// A page that compares has colour for what got worse or better alone: there all heat is grey.
let grey = false;
const greyHeat = [0x7d, 0x8b, 0x99];

// heat gives the colour. The scale is of the square root: a tenth of the time is warm already.
function heat(share, strength = 1) {
	const at = Math.sqrt(Math.min(Math.max(share, 0), 1)) * (heatStops.length - 1);
	const low = Math.min(Math.floor(at), heatStops.length - 2);
	const mixed = grey ? greyHeat : heatStops[low].map((c, i) => Math.round(c + (heatStops[low + 1][i] - c) * (at - low)));
	return `rgba(${mixed.join(",")},${strength.toFixed(2)})`;
}

// heatScale is the scale as a background: all of it, from left to right.
const heatScale = `linear-gradient(to right, ${[0, 0.0625, 0.25, 0.5625, 1].map((s) => heat(s)).join(", ")})`;

// plainBars is the fill of the bars of a chart on a page that compares.
function plainBars() {
	return heat(0, 0.55);
}

// strengthOf says how strong a colour is for n out of most. What is there can be seen.
function strengthOf(n, most) {
	return 0.3 + 0.7 * Math.sqrt(n / most);
}

// warmth gives colour and strength for each bucket of a list: by its share of the time,
// and by its count.
function warmth(list) {
	const time = Number(sumWhole(list.map((b) => b.sum)));
	const most = Math.max(...list.map((b) => Number(b.count)));
	return list.map((b) => heat(time > 0 ? Number(b.sum) / time : 0, strengthOf(Number(b.count), most)));
}
