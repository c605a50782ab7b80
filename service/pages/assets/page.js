"use strict";

// Brings the answers of a search while its text is being typed. The page does without: then the form is sent.
//
// An answer counts only if it is that to the newest text, however long it took; one that is not needed any more is
// given up. The arrow keys go through the answers, Escape goes back to the text, and from there it empties it.

(() => {
	const wait = 120; // ms without a key before the server is asked
	const input = document.querySelector("input[data-live]");
	const heard = document.getElementById("heard");
	if (!input || !heard) {
		return;
	}
	const own = location.pathname === "/search"; // else the page has other things, too, and keeps its address
	let asked = input.value.trim();
	let timer = 0;
	let request = null;

	const results = () => document.getElementById("results");
	const links = () => [...results().querySelectorAll(".results a")];

	function ask() {
		const text = input.value.trim();
		if (text === asked) {
			return;
		}
		asked = text;
		request?.abort();
		request = null;
		if (text === "" && !own) {
			results().replaceChildren();
			heard.textContent = "";
			return;
		}
		bring(text);
	}

	async function bring(text) {
		const mine = new AbortController();
		request = mine;
		const address = "/search?" + new URLSearchParams({ q: text });
		let page;
		try {
			const answer = await fetch(address, { signal: mine.signal, credentials: "same-origin" });
			page = new DOMParser().parseFromString(await answer.text(), "text/html");
			if (!answer.ok || answer.redirected) {
				throw new Error(page.querySelector("h1")?.textContent ?? answer.statusText);
			}
		} catch (problem) {
			if (request === mine) {
				request = null;
				asked = null; // so that the same text is asked for again
				say("The search failed: " + (problem.message || problem) + ". Press Enter to try again.");
			}
			return;
		}
		const found = page.getElementById("results");
		if (request !== mine || !found) {
			return;
		}
		request = null;
		const focused = results().contains(document.activeElement);
		results().replaceChildren(...document.adoptNode(found).childNodes);
		if (focused) {
			input.focus();
		}
		heard.textContent = results().querySelector(".found")?.textContent ?? "";
		if (own) {
			history.replaceState(null, "", address);
			document.title = page.title;
		}
	}

	// say shows a problem where the answers are.
	function say(text) {
		const p = document.createElement("p");
		p.className = "caution";
		p.textContent = text;
		results().replaceChildren(p);
		heard.textContent = text;
	}

	input.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(ask, wait);
	});
	input.addEventListener("keydown", (event) => {
		if (event.key === "ArrowDown" && links().length > 0) {
			event.preventDefault();
			links()[0].focus();
		} else if (event.key === "Escape" && input.value !== "") {
			event.preventDefault();
			input.value = "";
			clearTimeout(timer);
			ask();
		}
	});
	document.addEventListener("keydown", (event) => {
		const list = links();
		const at = list.indexOf(document.activeElement);
		const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
		if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
			event.preventDefault();
			input.focus();
			input.select();
		}
		if (at < 0) {
			return;
		}
		const to = { ArrowDown: list[at + 1], ArrowUp: list[at - 1] ?? input, Home: list[0], End: list.at(-1), Escape: input }[event.key];
		if (to) {
			event.preventDefault();
			to.focus();
		}
	});
})();
