/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of storus what-if: what was changed, the starts that move most as a
 * picture, and all waiting jobs as a table. Times are as storus writes them; the
 * numbers beside them, seconds, place them.
 */
"use strict";
const data = JSON.parse($("data").textContent);
const MOST_MOVES = 40, MOST_ROWS = 500, MOST_PRINTED = 50; /* what_if.html hides the rest on paper */
const start = (play) => (play && play.start !== null ? play.start : null);

/* Later is positive; a start that is lost or won counts most. */
function moved(job) {
	const a = start(job.before), b = start(job.after);
	if (a === null && b === null)
		return 0;
	return a === null ? -Infinity : b === null ? Infinity : b - a;
}
const jobs = data.jobs.map((job) => Object.assign({ move: job.before ? moved(job) : 0, fresh: !job.before }, job));
const movers = jobs.filter((j) => j.fresh || j.move !== 0).sort((a, b) => Math.abs(b.move) - Math.abs(a.move));

/* As Slurm writes times: +1-02:03:04. */
function span(s) {
	const a = Math.abs(s), two = (v) => String(v).padStart(2, "0");
	const text = (a >= 86400 ? Math.floor(a / 86400) + "-" : "") + two(Math.floor(a / 3600) % 24) + ":" + two(Math.floor(a / 60) % 60) + ":" + two(Math.floor(a) % 60);
	return (s < 0 ? "\u2212" : s > 0 ? "+" : "") + text;
}
const asks = (j) => j.ask + (j.ask === "1" ? " node" : /^[0-9]+$/.test(j.ask) ? " nodes" : "");
const changeWords = (j) => j.fresh ? "new" : j.move === Infinity ? "no start" : j.move === -Infinity ? "starts" : span(j.move);

/* A line per job from the start before (hollow) to the one after (filled). */
function drawMoves() {
	const shown = movers.filter((j) => start(j.after) !== null || start(j.before) !== null).slice(0, MOST_MOVES);
	$("meaning").textContent = shown.length ? "Hollow: before; filled: after. " + (movers.length > shown.length ? "The " + shown.length + " of " + movers.length + " that move most." : "") : "No start moves.";
	if (!shown.length)
		return;
	const times = shown.flatMap((j) => [start(j.before), start(j.after)]).filter((v) => v !== null).concat(data.now);
	const low = Math.min(...times), high = Math.max(...times), narrow = innerWidth < 640;
	const width = narrow ? 420 : 900, left = narrow ? 92 : 170, height = 20, floor = shown.length * height + 6;
	const place = (t) => left + 8 + (t - low) / (high - low || 1) * (width - left - 24);
	const svg = element($("moves"), "svg", { viewBox: "0 0 " + width + " " + (floor + 24), role: "img", "aria-label": "starts before and after; the table of jobs has the numbers" });
	for (const after of high > data.now ? durationTicks({ min: 0, max: high - data.now }, false, narrow ? 3 : 6) : [0]) {
		const at = place(data.now + after);
		element(svg, "line", { class: "grid", x1: at, x2: at, y1: 0, y2: floor });
		element(svg, "text", { class: "soft", x: at, y: floor + 16, "text-anchor": at > width - 40 ? "end" : "middle" }, after ? "+" + duration(after) : "now");
	}
	shown.forEach((j, i) => {
		const y = i * height + 12, a = start(j.before), b = start(j.after), colour = a !== null && b !== null && b > a ? "var(--later)" : "var(--after)";
		const name = j.job + (narrow ? "" : ": " + asks(j));
		element(svg, "text", { x: 0, y: y + 4 }, name.length > (narrow ? 12 : 24) ? name.slice(0, narrow ? 11 : 23) + "\u2026" : name);
		if (a !== null && b !== null)
			element(svg, "line", { x1: place(a), x2: place(b), y1: y, y2: y, stroke: colour, "stroke-width": 2 });
		if (a !== null)
			element(svg, "circle", { cx: place(a), cy: y, r: 4, fill: "var(--back)", stroke: "var(--before)", "stroke-width": 1.6 });
		if (b !== null)
			element(svg, "circle", { cx: place(b), cy: y, r: 4, fill: colour });
		if (b === null) /* on the side where there is room */
			element(svg, "text", { class: "soft", x: place(a) + (place(a) > width - 100 ? -8 : 8), y: y + 4, "text-anchor": place(a) > width - 100 ? "end" : "start" }, "no start");
		element(svg.lastChild, "title", {}, "job " + j.job + ": " + changeWords(j));
	});
}

function jobsChosen() {
	const word = $("query").value.trim().toLowerCase(), from = $("all").checked ? jobs : movers;
	return from.filter((j) => !word || [j.job, j.user, j.ask, j.after.region || ""].some((text) => text.toLowerCase().includes(word)));
}

/* Seconds of the cluster's clock, and the change of the start in seconds. */
function csvRows(list) {
	return [["job", "user", "asks for", "start before", "start after", "change, s", "region after"], list.map((j) =>
		[j.job, j.user, asks(j), start(j.before), start(j.after), isFinite(j.move) ? j.move : null, j.after.region])];
}

function drawRows() {
	const found = jobsChosen();
	$("hits").textContent = found.length > MOST_ROWS ? "the first " + MOST_ROWS + " of " + found.length : found.length + (found.length === 1 ? " job" : " jobs");
	const users = jobs.some((j) => j.user), own = (list) => users ? list : list.filter((_, i) => i !== 1);
	table($("rows"), own(["job", "user", "asks for", "before", "after", "change", "region after"]), found.slice(0, MOST_ROWS).map((j) =>
		own([j.job, j.user, asks(j), j.at[0], j.at[1], changeWords(j), j.after.region || j.reason || "\u2013"])));
	$("printed").textContent = found.length > MOST_PRINTED ? "The first " + MOST_PRINTED + "; storus what-if --json has " + (found.length - MOST_PRINTED) + " more." : "";
}

/* The view: #all=1&query=alice */
function viewText() {
	const p = new URLSearchParams({ all: Number($("all").checked) });
	if ($("query").value)
		p.set("query", $("query").value);
	return p;
}

function viewLoad() {
	const p = addressRead();
	if (!p)
		return;
	$("all").checked = p.get("all") === "1";
	$("query").value = p.get("query") || "";
}

function begin() {
	const s = data.summary;
	$("title").textContent = data.title;
	$("subtitle").textContent = data.source + "; every job runs to its limit, no other job is submitted";
	(data.changes.length ? data.changes : ["nothing is changed"]).forEach((text) => element($("change"), "li", {}, text));
	table($("summary"), ["", "before", "after"], [["waiting jobs that start", String(s.started_before), String(s.started_after)],
		["mean wait of these", span(s.mean_wait_before_s).replace("+", ""), span(s.mean_wait_after_s).replace("+", "")],
		["start earlier", "", String(s.earlier)], ["start later", "", String(s.later)]]);
	drawMoves();
	if ($("moves").firstChild)
		$("moves-tools").append(...saveButtons("starts", "starts that move", () => csvRows(movers), () => svgPng(data.title, $("moves").querySelector("svg"))));
	$("rows-tools").append(button("CSV", "the jobs below: save as CSV", () => saveCsv("jobs", csvRows(jobsChosen()))));
	$("all").checked = !movers.length;
	viewLoad();
	drawRows();
	addressWatch(viewText);
	$("all").onchange = $("query").oninput = () => {
		drawRows();
		addressSave();
	};
	table($("sources"), [], [["command", data.command], ["version", data.version]]);
	document.documentElement.dataset.ready = "yes";
}
begin();
