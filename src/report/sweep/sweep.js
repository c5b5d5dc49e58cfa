/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign's page: load curves with intervals, and the paired differences of
 * two policies. Pictures are SVG in the page's colours, so that they print; the
 * numbers behind each stand in a table.
 */
"use strict";
const data = JSON.parse($("data").textContent);
/* Ten colours, ten strokes, ten marks: ten policies are told apart by each of them. */
const strokes = ["", "7 4", "2 3", "9 3 2 3", "14 4", "4 2", "1 4", "9 3 2 3 2 3", "20 3", "3 6"];
const colourOf = (i) => "var(--s" + i % 10 + ")";
const axes = ["trace", "machine", "strategy", "discipline", "scale"];
const vary = (axis) => new Set(data.rows.map((r) => r[axis])).size > 1;
const policyAxes = ["strategy", "discipline"].filter(vary);
const policyOf = (r) => (policyAxes.length ? policyAxes : ["discipline"]).map((a) => r[a]).join("/");
const policies = [...new Set(data.rows.map(policyOf))]; // in the order of the campaign

/* Times of a kind (waits with their percentiles, responses, ends) in the unit that fits the
 * middle one of their means; shares in per cent. */
function unitsSet() {
	const times = data.measures.filter((m) => m.key.endsWith("_s")), shares = data.measures.filter((m) => ["utilization", "job_miss_ratio"].includes(m.key));
	const kindOf = (m) => m.key.replace(/^mean_/, "");
	const unitOf = (kind) => {
		const of = times.filter((m) => kindOf(m) === kind), whole = of.filter((m) => !m.part);
		const means = (whole.length ? whole : of).flatMap((m) => data.rows.map((r) => (valueOf(r, m) || {}).mean || 0)).sort((a, b) => a - b);
		const middle = means[means.length >> 1] || 0;
		return [["d", 86400], ["h", 3600], ["min", 60]].find(([, n]) => middle >= 2 * n) || ["s", 1];
	};
	const units = new Map(times.map(kindOf).map((kind) => [kind, unitOf(kind)]));
	const parts = ["mean", "half", "low", "high", "resampled", "a", "b", "difference"];
	const scale = (list, m, by) => list.forEach((row) => {
		const v = valueOf(row, m);
		if (v)
			parts.filter((k) => typeof v[k] === "number").forEach((k) => { v[k] *= by; });
	});
	const all = (m, by) => [data.rows].concat(data.pairs.map((p) => p.groups)).forEach((list) => scale(list, m, by));
	times.forEach((m) => {
		const [unit, seconds] = units.get(kindOf(m));
		all(m, 1 / seconds);
		m.title = m.title.replace(/ s$/, "") + ", " + unit;
		m.decimals = seconds > 1 ? 2 : m.decimals;
	});
	shares.forEach((m) => {
		all(m, 100);
		m.title += ", %";
		m.decimals = Math.max(1, m.decimals - 2);
	});
}

/* With so many decimals, all of them shown. */
function fixed(v, decimals) {
	if (v === null || v === undefined)
		return "\u2013";
	return v.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: Math.abs(v) >= 10000 }).replace("-", "\u2212");
}

function brief(v) {
	const a = Math.abs(v), text = a >= 1e6 ? v / 1e6 + "M" : a >= 1e4 ? v / 1e3 + "k" : String(Number(v.toPrecision(4)));
	return text.replace("-", "\u2212");
}

/* What the load is: the scale, or the one number that traces differ in. */
function words(trace) {
	return trace.split(" ").map((w) => w.split("="));
}
function findX() {
	if (vary("scale"))
		return { title: "scale of the load", of: (r) => Number(r.scale), rest: (r) => r.trace };
	for (const key of ["load", "nominal-load", "rate", "laxity"]) {
		const of = (r) => {
			const w = words(r.trace).find(([k, v]) => k === key && v !== undefined);
			return w ? Number(w[1]) : NaN;
		};
		if (new Set(data.rows.map(of).filter((v) => !isNaN(v))).size > 1)
			return { title: key, of, rest: (r) => words(r.trace).filter(([k]) => k !== key).map((w) => w.join("=")).join(" ") };
	}
	return null;
}
const x = findX();

/* Rows that share a picture: all but the policy and the load. */
function panels() {
	const found = new Map();
	for (const r of data.rows) {
		const name = [x ? x.rest(r) : r.trace, vary("machine") ? r.machine : ""].filter(Boolean).join(", ");
		if (!found.has(name))
			found.set(name, []);
		found.get(name).push(r);
	}
	return found;
}

const valueOf = (r, m) => m.part ? (r[m.key] || {})[m.part] : r[m.key];
unitsSet();
const measured = data.measures.filter((m) => data.rows.some((r) => (valueOf(r, m) || {}).mean !== null && valueOf(r, m)));

/* What is drawn: the means, or a percentile in the place of the means of jobs. */
const parts = [...new Set(measured.map((m) => m.part).filter(Boolean))];
const partWords = { p50: "median", p90: "90 %", p99: "99 %" };
function drawnNow() {
	const part = $("part").value, of = measured.filter((m) => m.part === part);
	return measured.filter((m) => !m.part).filter((m) => !part || !of.some((p) => "mean_" + p.key === m.key)).concat(part ? of : []);
}

function ticks(low, high, n) {
	const raw = (high - low) / n || 1, power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw) || 10 * power;
	const list = [];
	for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step)
		list.push(Math.abs(v) < step * 1e-9 ? 0 : v);
	return list;
}

/* A frame with a scale from 0, or over decades where values span more. */
function frame(parent, low, high, logarithmic, label) {
	const box = { width: 460, height: 250, left: 62, right: 12, top: 10, bottom: 40 };
	const svg = element(parent, "svg", { viewBox: "0 0 " + box.width + " " + box.height, role: "img", "aria-label": label });
	const bottom = box.height - box.bottom, f = logarithmic ? Math.log10 : (v) => v;
	box.y = (v) => bottom - (f(v) - f(low)) / (f(high) - f(low) || 1) * (bottom - box.top);
	let marks = ticks(low, high, 5);
	if (logarithmic) {
		marks = [];
		for (let e = Math.floor(Math.log10(low)); 10 ** e <= high * 1.0001; e++)
			if (10 ** e >= low * 0.9999)
				marks.push(10 ** e);
		if (marks.length < 3) /* few decades: parts of them, too */
			marks = marks.flatMap((v) => [v, 2 * v, 5 * v]).filter((v) => v <= high);
	}
	for (const v of marks) {
		element(svg, "line", { class: "grid", x1: box.left, x2: box.width - box.right, y1: box.y(v), y2: box.y(v) });
		element(svg, "text", { x: box.left - 6, y: box.y(v) + 4, "text-anchor": "end" }, brief(v));
	}
	element(svg, "line", { class: "axis", x1: box.left, x2: box.width - box.right, y1: bottom, y2: bottom });
	box.svg = svg;
	return box;
}

function range(rows, m) {
	let low = Infinity, high = -Infinity;
	for (const r of rows) {
		const v = valueOf(r, m);
		if (!v || v.mean === null)
			continue;
		low = Math.min(low, v.mean);
		high = Math.max(high, v.mean + (v.half || 0), v.high || 0);
	}
	const logarithmic = low > 0 && high / low > 30;
	return { low: logarithmic ? 10 ** Math.floor(Math.log10(low)) : 0, high: logarithmic ? high * 1.1 : high * 1.05 || 1, logarithmic };
}

/* A mark per point: five forms, filled, then hollow. */
const forms = ["m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z", "m-3.4 -3.4h6.8v6.8h-6.8z", "m0 -4.2l4 7.2h-8z", "m0 -4.6l4.4 4.6l-4.4 4.6l-4.4 -4.6z", "m0 4.2l4 -7.2h-8z"];
function mark(svg, x0, y0, i) {
	const colour = colourOf(i), filled = Math.floor(i / 5) % 2 === 0;
	element(svg, "path", { class: "mark", d: "M" + x0 + " " + y0 + forms[i % 5], stroke: colour, "stroke-width": 1.6, fill: filled ? colour : "var(--back)" });
}

function curve(box, points, i) {
	const colour = colourOf(i), svg = box.svg;
	const floor = box.height - box.bottom;
	element(svg, "path", { d: points.map((p, k) => (k ? "L" : "M") + p.x.toFixed(1) + " " + p.y.toFixed(1)).join(""), fill: "none", stroke: colour, "stroke-width": 1.8, "stroke-dasharray": strokes[i % 10] });
	for (const p of points) {
		if (p.half)
			element(svg, "path", { d: "M" + (p.x - 3) + " " + p.top + "h6m-3 0V" + Math.min(floor, p.bottom) + "m-3 0h6", stroke: colour, "stroke-width": 1.2, fill: "none" });
		if (p.low !== null)
			element(svg, "line", { class: "interval", x1: p.x, x2: p.x, y1: p.high, y2: Math.min(floor, p.low), stroke: colour, "stroke-width": 5, "stroke-opacity": 0.4 });
		mark(svg, p.x, p.y, i);
		element(svg.lastChild, "title", {}, p.text);
	}
}

function xScale(box, rows) {
	const width = box.width - box.left - box.right, floor = box.height - box.bottom;
	if (!x) {
		const step = width / policies.length;
		policies.forEach((p, i) => element(box.svg, "text", { x: box.left + (i + 0.5) * step, y: floor + 16 + (policies.length > 3 && i % 2 ? 13 : 0), "text-anchor": "middle" }, p.length > 22 ? p.slice(0, 21) + "\u2026" : p));
		return (r) => box.left + (policies.indexOf(policyOf(r)) + 0.5) * step;
	}
	const values = [...new Set(rows.map(x.of))].filter((v) => !isNaN(v)).sort((a, b) => a - b);
	const low = values[0], span = values[values.length - 1] - low || 1;
	const place = (v) => box.left + 12 + (v - low) / span * (width - 24);
	let last = -Infinity;
	for (const v of values) {
		if (place(v) - last < 34)
			continue;
		last = place(v);
		element(box.svg, "text", { x: last, y: floor + 16, "text-anchor": "middle" }, brief(v));
	}
	element(box.svg, "text", { x: box.left + width / 2, y: floor + 33, "text-anchor": "middle" }, x.title);
	return (r) => place(x.of(r));
}

/* The mean, +- by t, and the interval adjusted for skewness. */
function meanText(v, decimals) {
	return fixed(v.mean, decimals) + (v.half ? " \u00b1 " + fixed(v.half, decimals) : "") +
		(v.low !== null && v.low !== undefined ? " (" + fixed(v.low, decimals) + " to " + fixed(v.high, decimals) + ")" : "");
}

const measureName = (m) => [m.key, m.part].filter(Boolean).join("-");

/* The rows of a picture for CSV: the mean, the half width of its 95 % interval by t,
 * and the ends of the one adjusted for skewness. */
function panelRows(rows, m) {
	const head = ["policy"].concat(x ? [x.title] : [], ["seeds", m.title, "half width by t", "low", "high"]);
	return [head, rows.map((r) => {
		const v = valueOf(r, m) || {};
		return [policyOf(r)].concat(x ? [x.of(r)] : [], [r.seeds, v.mean, v.half, v.low, v.high]);
	})];
}

/* A heading and the buttons that save the picture, which is drawn later. */
function figureHead(fig, title, group, name, rows) {
	const caption = element(fig, "figcaption"), full = [title, group].filter(Boolean).join(", ");
	element(caption, "h4", {}, title);
	element(caption, "span", { class: "tools" }).append(...saveButtons(name, full, rows,
		() => svgPng(full, fig.querySelector("svg"), $("keys").children)));
}

function panel(parent, group, rows, m) {
	const fig = element(parent, "figure"), r = range(rows, m);
	const title = m.title + (r.logarithmic ? " (logarithmic)" : "");
	figureHead(fig, title, group, measureName(m), () => panelRows(rows, m));
	const box = frame(fig, r.low, r.high, r.logarithmic, m.title + " by policy; the numbers are in the table below");
	const place = xScale(box, rows), least = r.logarithmic ? r.low : 0;
	policies.forEach((policy, i) => {
		const points = rows.filter((row) => policyOf(row) === policy && valueOf(row, m) && valueOf(row, m).mean !== null && (!x || !isNaN(x.of(row))));
		points.sort((a, b) => place(a) - place(b));
		/* beside each other, so that bars of equal values show */
		const aside = x ? (i - (policies.length - 1) / 2) * Math.min(4, 14 / policies.length) : 0;
		curve(box, points.map((row) => {
			const v = valueOf(row, m), half = v.half || 0;
			const at = (y) => y === null || y === undefined ? null : box.y(Math.max(least, y));
			return { x: place(row) + aside, low: at(v.low), high: at(v.high), y: box.y(Math.max(least, v.mean)), top: box.y(Math.max(least, v.mean + half)), bottom: box.y(Math.max(least, v.mean - half)), half,
				text: policy + ": " + meanText(v, m.decimals) };
		}), i);
	});
}

function drawPanels() {
	$("panels").textContent = "";
	const counts = data.rows.some((r) => r.completed < r.kept) ? ["completed", "rejected", "missed", "unfinished"] : ["completed"];
	for (const [name, rows] of panels()) {
		element($("panels"), "h3", {}, name);
		const grid = element($("panels"), "div", { class: "figures" });
		drawnNow().forEach((m) => panel(grid, name, rows, m));
		const more = element($("panels"), "details");
		element(more, "summary", {}, "the numbers");
		const t = element(element(more, "div", { class: "scroll", tabindex: "0" }), "table");
		const sorted = rows.slice().sort((a, b) => (x ? x.of(a) - x.of(b) : 0) || policies.indexOf(policyOf(a)) - policies.indexOf(policyOf(b)));
		table(t, ["policy"].concat(x ? [x.title] : [], ["seeds", "growing"], counts, measured.map((m) => m.title)),
			sorted.map((r) => [policyOf(r)].concat(x ? [brief(x.of(r))] : [], [r.of || String(r.seeds), r.growing ? String(r.growing) : "\u2013"], counts.map((c) => fixed(r[c], 0)),
				measured.map((m) => meanText(valueOf(r, m) || {}, m.decimals)))));
	}
}

function drawKeys() {
	policies.forEach((p, i) => {
		const key = element($("keys"), "span"), svg = element(key, "svg", { viewBox: "0 0 44 14", "aria-hidden": "true" });
		element(svg, "line", { x1: 2, x2: 42, y1: 7, y2: 7, stroke: colourOf(i), "stroke-width": 1.8, "stroke-dasharray": strokes[i % 10] });
		mark(svg, 22, 7, i);
		key.append(p);
	});
}

/* What sets a group apart from the others: the words that not all have. */
function groupNames(groups) {
	const split = groups.map((g) => g.group.split(/,? /));
	return split.map((own, k) => {
		const rest = own.filter((w) => !split.every((other) => other.includes(w)));
		return rest.join(" ") || (groups.length > 1 ? groups[k].group : "all");
	});
}

/* The intervals of a pair's differences. */
function drawForest(groups, m) {
	const names = groupNames(groups), rows = groups.filter((g) => valueOf(g, m)), height = 34;
	$("forest").textContent = "";
	if (!rows.length)
		return;
	let low = 0, high = 0;
	for (const g of rows) {
		const v = valueOf(g, m);
		low = Math.min(low, v.difference, v.low === null ? 0 : v.low);
		high = Math.max(high, v.difference, v.high === null ? 0 : v.high);
	}
	const pad = (high - low) * 0.06 || 1, width = innerWidth < 640 ? 380 : 720;
	low -= pad;
	high += pad;
	const svg = element($("forest"), "svg", { viewBox: "0 0 " + width + " " + (rows.length * height + 34), role: "img", "aria-label": "paired differences of " + m.title + "; the numbers are in the table below", style: "max-width:900px" });
	const place = (v) => 10 + (v - low) / (high - low) * (width - 20), floor = rows.length * height;
	for (const v of ticks(low, high, width / 100)) {
		element(svg, "line", { class: v === 0 ? "axis" : "grid", x1: place(v), x2: place(v), y1: 0, y2: floor });
		element(svg, "text", { x: place(v), y: floor + 16, "text-anchor": place(v) > width - 30 ? "end" : place(v) < 30 ? "start" : "middle" }, brief(v));
	}
	rows.forEach((g, k) => {
		const v = valueOf(g, m), y = k * height + 24, colour = v.differ ? "var(--s0)" : "var(--s5)";
		if (k) /* the name stands above its interval: what belongs together is between two lines */
			element(svg, "line", { class: "grid", x1: 0, x2: width, y1: k * height, y2: k * height });
		element(svg, "text", { x: 12, y: y - 11, style: "fill:var(--ink);stroke:var(--back);stroke-width:4px;paint-order:stroke" }, names[groups.indexOf(g)]);
		if (v.low !== null)
			element(svg, "line", { x1: place(v.low), x2: place(v.high), y1: y, y2: y, stroke: colour, "stroke-width": 5, "stroke-opacity": 0.55 });
		element(svg, "circle", { cx: place(v.difference), cy: y, r: 4, fill: v.differ ? colour : "var(--back)", stroke: colour, "stroke-width": 1.6 });
	});
}

function interval(low, high, d) {
	return low === null || high === null || isNaN(low) ? "\u2013" : fixed(low, d) + " to " + fixed(high, d);
}

const pairNow = () => data.pairs[Number($("pair").value)];
const measureNow = () => measured[Number($("measure").value)];

function pairRows() {
	const pair = pairNow(), m = measureNow();
	return [["group", "pairs", "jobs completed in both", "jobs", pair.a, pair.b, m.title + ", difference", "half width", "low", "high", "p", "p by Holm"],
		pair.groups.map((g) => {
			const v = valueOf(g, m) || {};
			return [g.group, g.pairs, g.completed_in_both, g.jobs, v.a, v.b, v.difference, v.half, v.low, v.high, v.p, v.p_holm];
		})];
}

function drawPair() {
	const pair = pairNow(), m = measureNow();
	const groups = pair.groups, with_ = groups.filter((g) => valueOf(g, m)), differ = with_.filter((g) => valueOf(g, m).differ).length;
	$("verdict").textContent = m.title + " of " + pair.a + " minus " + pair.b + ": " +
		(with_.length ? "they differ in " + differ + " of " + with_.length + " comparisons." : "not compared: too few jobs completed in both.");
	drawForest(groups, m);
	const probability = (p) => p === null || p === undefined ? "\u2013" : p < 0.0001 ? "<.0001" : p.toFixed(4);
	table($("differences"), ["", "difference", "", "p by Holm", "p", "95\u00a0%", pair.a, pair.b, "of", "jobs completed in\u00a0both"],
		groups.map((g, k) => {
			const v = valueOf(g, m) || {}, d = m.decimals;
			return [groupNames(groups)[k] + (g.growing ? " (growing)" : ""), fixed(v.difference, d), v.differ ? "*" : "", probability(v.p_holm), probability(v.p),
				interval(v.low === undefined ? null : v.low, v.high === undefined ? null : v.high, d),
				fixed(v.a, d), fixed(v.b, d), g.of || fixed(g.pairs, 0), fixed(g.completed_in_both, 0) + " of " + fixed(g.jobs, 0)];
		}));
}

/* The view: #part=p90&pair=fcfs+against+easy&measure=mean_wait_s */
const pairName = (p) => p.a + " against " + p.b;

function viewText() {
	const p = new URLSearchParams();
	if ($("part").value)
		p.set("part", $("part").value);
	if (data.pairs.length) {
		p.set("pair", pairName(pairNow()));
		p.set("measure", measureName(measureNow()));
	}
	return p;
}

function viewLoad() {
	const p = addressRead();
	if (!p)
		return;
	if (parts.includes(p.get("part")))
		$("part").value = p.get("part");
	const pair = data.pairs.findIndex((x) => pairName(x) === p.get("pair")), m = measured.findIndex((x) => measureName(x) === p.get("measure"));
	if (pair >= 0)
		$("pair").value = String(pair);
	if (m >= 0)
		$("measure").value = String(m);
}

function begin() {
	const seeds = Math.max(...data.rows.map((r) => r.seeds));
	document.title = $("title").textContent = "Campaign " + data.title.replace(/\.db$/, "");
	$("subtitle").textContent = policies.length + (policies.length === 1 ? " policy, " : " policies, ") + data.rows.length + " means over up to " + seeds + (seeds === 1 ? " seed" : " seeds");
	$("meaning").textContent = seeds > 1 ? "Points are means over the seeds, also of a percentile; 95 % intervals of these means are thin by Student\u2019s t, thick adjusted for skewness. Whether two policies differ is not seen from them: the jobs of a seed are the same for both, so look at the paired differences." : "One run per point: there are no intervals.";
	$("method").textContent = "On the same jobs, seed by seed. The bar is the 95 % interval of the mean difference, by Student\u2019s t adjusted for skewness. Filled, and * in the table: it does not hold 0 and Wilcoxon\u2019s signed-rank test has p < 0.05, adjusted by Holm over the " + data.pairs.length + (data.pairs.length === 1 ? " pair" : " pairs") + " of policies for each measure; the response differs by what the wait does and is not tested again. Of resamples of one log it is around the log\u2019s own value, without a test; batches of one log count as many as are independent. A queue that grows to the end of a trace (growing) gets no *: waits depend on its length. Five seeds can never get a *: the least p is 0.0625. Waits are over the jobs that completed under both policies.";
	drawKeys();
	$("part").add(new Option("mean", ""));
	parts.forEach((p) => $("part").add(new Option(partWords[p] || p, p)));
	data.pairs.forEach((p, i) => $("pair").add(new Option(pairName(p), i)));
	measured.forEach((m, i) => $("measure").add(new Option(m.title, i)));
	$("measure").value = String(Math.max(0, measured.findIndex((m) => m.key === "mean_wait_s")));
	viewLoad();
	document.querySelectorAll(".needs-pairs").forEach((e) => { e.hidden = !data.pairs.length; });
	drawPanels();
	if (data.pairs.length)
		drawPair();
	$("pair-tools").append(...saveButtons("differences", "paired differences", pairRows,
		() => svgPng(measureNow().title + ", " + pairNow().a + " minus " + pairNow().b, $("forest").querySelector("svg"))));
	addressWatch(viewText);
	for (const [id, draw] of [["part", drawPanels], ["pair", drawPair], ["measure", drawPair]])
		$(id).onchange = () => {
			draw();
			addressSave();
		};
	const builds = [...new Set(data.rows.map((r) => r.build).filter(Boolean))];
	table($("sources"), ["", ""], [["command", data.command], ["version", data.version], ["build of the results", builds.join(", ")], ["options", data.rows[0].options || "\u2013"]]);
	window.addEventListener("resize", () => data.pairs.length && drawPair());
	document.documentElement.dataset.ready = "yes";
}
begin();
