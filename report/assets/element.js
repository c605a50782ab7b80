"use strict";

// Elements are made here and nowhere else. What comes from the data goes in as text
// and as attributes that hold no script, so that no name can become markup.

const svgSpace = "http://www.w3.org/2000/svg";

// element makes an element. Attributes that are functions listen to the event of that
// name; true is an attribute without a value; null, undefined and false are left out,
// among the children, too. Children are elements or texts.
function element(name, attributes, ...children) {
	return fill(document.createElement(name), attributes, children);
}

// svg makes an element of a drawing.
function svg(name, attributes, ...children) {
	return fill(document.createElementNS(svgSpace, name), attributes, children);
}

function fill(made, attributes, children) {
	for (const [key, value] of Object.entries(attributes ?? {})) {
		if (typeof value === "function") {
			made.addEventListener(key, value);
		} else if (value !== null && value !== undefined && value !== false) {
			made.setAttribute(key, value === true ? "" : String(value));
		}
	}
	made.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
	return made;
}

// byID finds an element of the page.
function byID(id) {
	return document.getElementById(id);
}

// colorOf gives a color of the style sheet, by the name of its variable, as it is in the theme that is now.
function colorOf(name) {
	const probe = element("span");
	probe.style.color = `var(${name})`;
	document.body.append(probe);
	const color = getComputedStyle(probe).color;
	probe.remove();
	return color;
}
