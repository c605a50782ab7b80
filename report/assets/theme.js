"use strict";

// Light or dark: as the system is, until the switch says otherwise.

const themes = ["auto", "light", "dark"];

// startTheme shows the switch; onChange is called when the colours have changed.
function startTheme(button, onChange) {
	let theme = "auto";
	try {
		theme = localStorage.getItem("markgen-theme") ?? "auto";
	} catch {
		// A page from a file may have no storage; then the choice is for this view.
	}
	const set = (to) => {
		theme = themes.includes(to) ? to : "auto";
		document.documentElement.dataset.theme = theme;
		button.textContent = "colours: " + theme;
		onChange();
	};
	button.addEventListener("click", () => {
		set(themes[(themes.indexOf(theme) + 1) % themes.length]);
		try {
			localStorage.setItem("markgen-theme", theme);
		} catch {
			// as above
		}
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", onChange);
	button.hidden = false;
	set(theme);
}
