/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables and charts. The window is the span of time that the charts over time
 * and the node chart show; they follow it together.
 */
const view = { from: origin, to: last, listeners: [] };
const charts = {};

function setWindow(from, to) {
	const least = Math.min(1, last - origin);
	let width = Math.max(least, Math.min(to - from, last - origin));
	let left = Math.max(origin, Math.min(from, last - width));
	view.from = left;
	view.to = left + width;
	$("window").textContent = clock(view.from - origin) + " to " + clock(view.to - origin);
	view.listeners.forEach((f) => f());
}

function row(table, cells, kind) {
	const tr = document.createElement("tr");
	for (const text of cells) {
		const td = document.createElement(kind || "td");
		td.textContent = text;
		tr.appendChild(td);
	}
	table.appendChild(tr);
	return tr;
}

function table(element, head, rows) {
	element.textContent = "";
	const top = document.createElement("thead"), body = document.createElement("tbody");
	row(top, head, "th");
	rows.forEach((r) => row(body, r));
	element.append(top, body);
}

const measures = [
	["kept", "jobs", 0], ["completed", "completed", 0], ["rejected", "rejected", 0],
	["missed", "missed", 0], ["utilization", "utilization", 4],
	["utilization_granted", "utilization, granted", 4], ["mean_wait_s", "mean wait, s", 2],
	["mean_response_s", "mean response, s", 2], ["mean_bounded_slowdown", "mean bounded slowdown", 3],
	["last_end_s", "last end, s", 2], ["job_miss_ratio", "jobs that missed", 4],
	["mean_queue_length", "mean queue length", 2], ["mean_running_jobs", "mean running jobs", 2],
];

function drawSummary() {
	const rows = measures.map(([key, title, digits]) => {
		const tr = [title].concat(schedules.map((s) => {
			const v = s.summary[key];
			/* without the machine, shares of it are not known */
			return key.startsWith("utilization") && !s.summary.command && !s.nodes ? "\u2013" : number(v, digits);
		}));
		return tr;
	}).filter((r) => r.slice(1).some((v) => v !== "\u2013"));
	table($("measures"), [""].concat(schedules.map((s) => s.name)), rows);
}

function drawSources() {
	const keys = ["command", "version", "seed", "trace_sha256"];
	const rows = [];
	for (const s of schedules)
		for (const k of keys)
			if (s.summary[k] !== null && s.summary[k] !== undefined && !(s.derived && k !== "version"))
				rows.push([s.name, k, String(s.summary[k])]);
	for (const s of schedules)
		if (s.derived)
			rows.push([s.name, "measures", "worked out from the rows of the schedule"]);
	table($("sources"), ["schedule", "", ""], rows);
}

/* The mean of a step function from begin to end; i: the step that holds at
 * begin, -1 before the first. Returns [mean, the step that holds at end]. */
function meanOf(curve, i, begin, end) {
	let sum = 0, t = begin;
	while (i + 1 < curve.time.length && curve.time[i + 1] < end) {
		sum += (i < 0 ? 0 : curve.value[i]) * (curve.time[i + 1] - t);
		t = curve.time[++i];
	}
	sum += (i < 0 ? 0 : curve.value[i]) * (end - t);
	return [sum / (end - begin), i];
}

/* Points of a step function in the window: every step if they are few, else
 * the mean over equal slices of time. */
function thin(curve, from, to, scale) {
	const points = [], slices = 600;
	let i = after(curve.time, from) - 1;
	const b = after(curve.time, to);
	if (b - i <= slices * 2) {
		points.push({ x: from - origin, y: i < 0 ? 0 : curve.value[i] * scale });
		for (i++; i < b; i++)
			points.push({ x: curve.time[i] - origin, y: curve.value[i] * scale });
	} else {
		const width = (to - from) / slices;
		for (let k = 0; k < slices; k++) {
			const begin = from + k * width;
			let mean;
			[mean, i] = meanOf(curve, i, begin, begin + width);
			points.push({ x: begin - origin, y: mean * scale });
		}
	}
	points.push({ x: to - origin, y: points[points.length - 1].y });
	return points;
}

function options(extra) {
	const grid = { color: style("--line") }, ticks = { color: style("--soft"), maxRotation: 0 };
	return {
		animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
		interaction: { mode: "nearest", axis: "x", intersect: false },
		plugins: {
			legend: { display: schedules.length > 1, labels: { color: style("--ink"), boxWidth: 24 } },
			tooltip: extra.tooltip || {},
		},
		scales: {
			x: Object.assign({ type: "linear", grid, ticks: Object.assign({}, ticks, extra.xticks) }, extra.x),
			/* of one width, so that charts below each other share their times */
			y: Object.assign({ beginAtZero: true, grid, afterFit: (axis) => { axis.width = extra.wide || 58; }, ticks: Object.assign({}, ticks, extra.yticks) }, extra.y),
		},
	};
}

function lineSet(points) {
	return schedules.map((s, i) => ({
		label: s.name, data: points(s), borderColor: lines()[i % lines().length],
		borderDash: dashes[i % dashes.length], borderWidth: 1.5, pointRadius: 0, stepped: true,
	}));
}

function make(id, config) {
	if (charts[id])
		charts[id].destroy();
	charts[id] = new Chart($(id), config);
}

/* The moment that the machine's picture shows, as a line. */
const marker = {
	id: "marker",
	afterDraw(chart) {
		const x = chart.scales.x.getPixelForValue(moment.t - origin), area = chart.chartArea;
		if (!hasMachine || !(x >= area.left && x <= area.right))
			return;
		chart.ctx.save();
		chart.ctx.strokeStyle = style("--mark");
		chart.ctx.beginPath();
		chart.ctx.moveTo(x, area.top);
		chart.ctx.lineTo(x, area.bottom);
		chart.ctx.stroke();
		chart.ctx.restore();
	},
};

function drawCourse() {
	const span = view.to - view.from, axis = {
		x: { min: view.from - origin, max: view.to - origin },
		xticks: { callback: (v) => shortClock(v, span), maxTicksLimit: 8 },
		tooltip: { callbacks: { title: (items) => clock(items[0].parsed.x) } },
	};
	make("use", { type: "line", plugins: [marker],
		data: { datasets: lineSet((s) => thin(s.use, view.from, view.to, 1 / s.size)) },
		options: options(Object.assign({ y: { max: 1 }, yticks: { callback: (v) => Math.round(v * 100) + " %" } }, axis)) });
	make("queue", { type: "line", plugins: [marker],
		data: { datasets: lineSet((s) => thin(s.queue, view.from, view.to, 1)) },
		options: options(Object.assign({ yticks: { precision: 0 } }, axis)) });
}

/* The share of jobs up to each value, at most 300 points; values below the
 * least that a logarithm shows count as that. */
function cumulated(values, least) {
	const sorted = Float64Array.from(values).sort(), points = [], n = sorted.length;
	const stepSize = Math.max(1, n / 300);
	for (let k = 0; k < n; k += stepSize)
		points.push({ x: Math.max(least, sorted[Math.floor(k)]), y: Math.floor(k + 1) / n });
	if (n)
		points.push({ x: Math.max(least, sorted[n - 1]), y: 1 });
	return points;
}

function collect(s, f) {
	const values = [];
	for (let i = 0; i < s.n; i++) {
		const v = s.jobs.state[i] === "completed" ? f(s.jobs, i) : null;
		if (v !== null)
			values.push(v);
	}
	return values;
}

function logChart(id, f, least, label) {
	make(id, { type: "line", data: { datasets: lineSet((s) => cumulated(collect(s, f), least)) },
		options: options({
			x: { type: "logarithmic", min: least },
			xticks: { callback: (v) => /^10*$/.test(String(v)) ? label(v) : null, autoSkipPadding: 12 },
			y: { max: 1 }, yticks: { callback: (v) => Math.round(v * 100) + " %" },
			tooltip: { callbacks: { title: (items) => label(items[0].parsed.x) } },
		}) });
}

/* Means by size: 1, 2, 3-4, 5-8, ... nodes. */
function bySize(s, f, classes) {
	const sum = new Array(classes).fill(0), n = new Array(classes).fill(0);
	for (let i = 0; i < s.n; i++) {
		const v = s.jobs.state[i] === "completed" ? f(s.jobs, i) : null;
		if (v === null)
			continue;
		const c = Math.ceil(Math.log2(Math.max(1, s.jobs.requested[i])));
		sum[c] += v;
		n[c]++;
	}
	return sum.map((x, c) => n[c] ? x / n[c] : null);
}

function sizeChart(id, f, unit) {
	let most = 1;
	for (const s of schedules)
		for (const r of s.jobs.requested)
			most = Math.max(most, r);
	const classes = Math.ceil(Math.log2(most)) + 1;
	const labels = Array.from({ length: classes }, (_, c) => c < 2 ? String(c + 1) : (2 ** (c - 1) + 1) + "\u2013" + 2 ** c);
	const o = options({ x: { type: "category", labels }, yticks: { callback: unit } });
	o.parsing = true;
	o.normalized = false;
	make(id, { type: "bar", data: { labels, datasets: schedules.map((s, i) => ({
		label: s.name, data: bySize(s, f, classes), backgroundColor: lines()[i % lines().length] })) }, options: o });
}

function drawSpread() {
	logChart("waits", waitOf, 1, (v) => v < 60 ? number(v, 1) + " s" : v < 7200 ? number(v / 60, 0) + " min" : v < 172800 ? number(v / 3600, 0) + " h" : number(v / 86400, 0) + " d");
	logChart("slowdowns", slowdownOf, 1, (v) => number(v, 1));
	sizeChart("waitsizes", waitOf, function (v) { return shortClock(v, this.max * 1.01); });
	sizeChart("slowsizes", slowdownOf, (v) => number(v, 1));
}

/* Dragging across a chart over time zooms in. */
function draggable(id, toTime) {
	const canvas = $(id);
	let from = null;
	canvas.addEventListener("pointerdown", (e) => { from = toTime(e); });
	canvas.addEventListener("pointerup", (e) => {
		const to = toTime(e), a = from;
		from = null;
		if (a !== null && Math.abs(to - a) > (view.to - view.from) / 100)
			setWindow(Math.min(a, to), Math.max(a, to));
	});
	canvas.addEventListener("pointerleave", () => { from = null; });
}

function windowButtons() {
	const by = (f) => () => {
		const w = view.to - view.from, m = (view.from + view.to) / 2;
		f(w, m);
	};
	$("earlier").onclick = by((w) => setWindow(view.from - w / 2, view.to - w / 2));
	$("later").onclick = by((w) => setWindow(view.from + w / 2, view.to + w / 2));
	$("closer").onclick = by((w, m) => setWindow(m - w / 4, m + w / 4));
	$("wider").onclick = by((w, m) => setWindow(m - w, m + w));
	$("whole").onclick = () => setWindow(origin, last);
	for (const id of ["use", "queue"])
		draggable(id, (e) => {
			const x = charts[id].scales.x.getValueForPixel(e.offsetX) + origin;
			return Math.max(view.from, Math.min(view.to, x));
		});
}
