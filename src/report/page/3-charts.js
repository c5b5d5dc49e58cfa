/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary and the charts. The window is the span of time that the charts
 * over time and the nodes over time show; they follow it together.
 */
const view = { from: origin, to: last, listeners: [] };

function setWindow(from, to) {
	const least = Math.min(1, last - origin);
	const width = Math.max(least, Math.min(to - from, last - origin));
	view.from = Math.max(origin, Math.min(from, last - width));
	view.to = view.from + width;
	$("window").textContent = moments(view.from) + " to " + moments(view.to);
	view.listeners.forEach((f) => f());
	figureChanged();
}

const causes = [["fragmentation", "fragmentation"], ["shape", "shape"], ["reservation", "reservation"],
	["out_of_service", "out of service"], ["no_demand", "no demand"]];

const quantiles = (key, digits) => ["p50", "p90", "p99"].map((q) => (s) => number(s.summary[key] ? s.summary[key][q] : null, digits));
const time = (v) => v === null || v === undefined ? "\u2013" : duration(v);
const waits = ["p50", "p90", "p99"].map((q) => (s) => time(s.summary.wait_s && s.summary.wait_s[q]));
const slowdowns = quantiles("bounded_slowdown", 2);
const plain = (key, digits) => (s) => number(s.summary[key], digits);
const span = (key) => (s) => time(s.summary[key]);
const share = (key) => (s) => !s.summary.command && !s.nodes ? "\u2013" : percent(s.summary[key], 2);
const hours = (seconds) => number(seconds / 3600, seconds < 36000 ? 2 : 0);
/* Shown where a schedule has some. */
const rare = (key) => (s) => schedules.some((x) => x.summary[key]) ? number(s.summary[key], 0) : "\u2013";
const measures = [
	["jobs", plain("kept", 0)], ["skipped", rare("skipped")], ["completed", plain("completed", 0)], ["rejected", plain("rejected", 0)],
	["missed", plain("missed", 0)], ["failed", rare("failed")], ["unfinished", rare("unfinished")], ["utilization", share("utilization")],
	["utilization, submitting", share("utilization_submitting")], ["utilization, granted", share("utilization_granted")], ["mean wait", span("mean_wait_s")],
	["wait, median", waits[0]], ["wait, 90 %", waits[1]], ["wait, 99 %", waits[2]],
	["mean response", span("mean_response_s")], ["mean bounded slowdown", plain("mean_bounded_slowdown", 3)],
	["slowdown, median", slowdowns[0]], ["slowdown, 90 %", slowdowns[1]], ["slowdown, 99 %", slowdowns[2]],
	["last end", (s) => typeof s.summary.last_end_s !== "number" ? "\u2013" : calendar.epoch === null ? clock(s.summary.last_end_s) : moments(s.origin + s.summary.last_end_s)],
	["jobs that missed", (s) => percent(s.summary.job_miss_ratio, 2)],
	["queue at the end", (s) => schedules.some((x) => x.summary.growing) ? (s.summary.growing ? "growing" : "steady") : "\u2013"],
	["mean queue length", plain("mean_queue_length", 2)], ["mean running jobs", plain("mean_running_jobs", 2)],
];
const idleMeasures = [["total", "all"]].concat(causes).map(([key, title]) => [title,
	(s) => s.summary.idle_node_s ? hours(s.summary.idle_node_s[key]) : "\u2013"]);

/* Measures that have a difference to the first schedule, in per cent of it. */
const changes = { "mean wait": (s) => s.summary.mean_wait_s, "mean response": (s) => s.summary.mean_response_s,
	"mean bounded slowdown": (s) => s.summary.mean_bounded_slowdown, utilization: (s) => s.summary.utilization };
[["wait", "wait_s"], ["slowdown", "bounded_slowdown"]].forEach(([word, key]) => [["median", "p50"], ["90 %", "p90"], ["99 %", "p99"]].forEach(([title, q]) => {
	changes[word + ", " + title] = (s) => (s.summary[key] || {})[q];
}));
/* What is shown as 0 has no sign. */
const signed = (v, text) => {
	const t = text(Math.abs(v));
	return (/^0(?![.\d])/.test(t) ? "" : v > 0 ? "+" : v < 0 ? "\u2212" : "") + t;
};
function change(a, b) {
	if (typeof a !== "number" || typeof b !== "number")
		return "\u2013";
	return a === b ? "0 %" : a === 0 ? "\u2013" : signed((b - a) / a, (v) => percent(v, v < 0.1 ? 1 : 0));
}

/* "easy against fcfs: mean wait \u221293 %, 95 % of waits \u221253 %; 6 users lose more than 2 h". */
function headline(base, s) {
	const p95 = (x) => quantile(collect(x, waitOf).sort((a, b) => a - b), 0.95);
	const words = s.label + " against " + base.label + ": mean wait " + change(base.summary.mean_wait_s, s.summary.mean_wait_s) + ", p95 " + change(p95(base), p95(s));
	if (!base.jobs.user || !s.jobs.user)
		return words;
	const means = (x) => {
		const sums = new Map();
		for (let i = 0; i < x.n; i++) {
			const w = waitOf(x.jobs, i), name = user(x, i), sum = sums.get(name) || [0, 0];
			if (w !== null)
				sums.set(name, [sum[0] + w, sum[1] + 1]);
		}
		return sums;
	};
	const before = means(base), after = means(s), lost = Array.from(after, ([name, [w, n]]) => before.has(name) ? w / n - before.get(name)[0] / before.get(name)[1] : 0);
	const [limit, count] = [7200, 600, 60].map((t) => [t, lost.filter((v) => v > t).length]).find(([, n]) => n) || [60, 0];
	return words + "; " + (count ? count + (count === 1 ? " user loses" : " users lose") : "no user loses") + " more than " + duration(limit) + " in the mean";
}

function drawSummary() {
	const base = schedules[0], others = comparable ? schedules.slice(1) : [];
	const rows = (list) => list.map(([title, f]) => [title].concat(schedules.map(f), others.map((s) => changes[title] ? change(changes[title](base), changes[title](s)) : "")))
		.filter((r) => r.slice(1).some((v) => v !== "\u2013" && v !== ""));
	const names = schedules.map((s) => s.label);
	others.forEach((s) => element($("headline"), "li", {}, headline(base, s)));
	$("headline").hidden = !others.length;
	/* The differences of many stand below, so that all schedules are in sight. */
	const many = others.length > 4, all = rows(measures);
	table($("measures"), [""].concat(names, many ? [] : others.map((s) => s.label + " \u2212 " + base.label)), many ? all.map((r) => r.slice(0, names.length + 1)) : all);
	if (many)
		table($("changes"), ["against " + base.label].concat(others.map((s) => s.label)),
			all.filter(([title]) => changes[title]).map((r) => [r[0]].concat(r.slice(names.length + 1))));
	$("changes").parentNode.hidden = !many;
	table($("idlehours"), ["idle node hours"].concat(names), rows(idleMeasures).map((r) => r.slice(0, names.length + 1)));
}

function drawSources() {
	const keys = ["command", "version", "build", "seed", "trace_sha256"], rows = [];
	for (const s of schedules) {
		if (s.derived)
			rows.push([s.name, "measures", "worked out from the rows of the schedule"]);
		for (const k of keys)
			if (s.summary[k] !== null && s.summary[k] !== undefined && !(s.derived && k !== "version"))
				rows.push([s.name, k, String(s.summary[k])]);
	}
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
	const points = [], slices = schedules.length > 1 ? 150 : 600; /* several curves are read if they are smooth */
	let i = after(curve.time, from) - 1;
	const b = after(curve.time, to);
	if (b - i <= slices * 2) {
		points.push({ x: from, y: i < 0 ? 0 : curve.value[i] * scale });
		for (i++; i < b; i++)
			points.push({ x: curve.time[i], y: curve.value[i] * scale });
	} else {
		const width = (to - from) / slices;
		for (let k = 0; k < slices; k++) {
			const begin = from + k * width;
			let mean;
			[mean, i] = meanOf(curve, i, begin, begin + width);
			points.push({ x: begin, y: mean * scale });
		}
	}
	points.push({ x: to, y: points[points.length - 1].y });
	return points;
}

/* The first is drawn lowest: the dashes of the others show where curves lie on each
 * other. */
function lineSet(points) {
	return schedules.map((s, i) => ({ order: -i,
		label: s.label, data: points(s), borderColor: lines()[i % lines().length],
		borderDash: dashes[i % dashes.length], borderWidth: 1.5, pointRadius: 0, stepped: true,
	}));
}
const barSet = (values) => schedules.map((s, i) => ({ label: s.label, data: values(s), backgroundColor: lines()[i % lines().length] }));

/* Rows of [x, a value per schedule] out of sets of points. */
function rowsOf(sets, title, show) {
	const at = new Map();
	sets.forEach((set, i) => set.data.forEach((p) => {
		if (!at.has(p.x))
			at.set(p.x, new Array(sets.length).fill(null));
		at.get(p.x)[i] = p.y;
	}));
	return [[title].concat(sets.map((s) => s.label)),
		Array.from(at.keys()).sort((a, b) => a - b).map((x) => [show ? show(x) : x].concat(at.get(x)))];
}

/* The moment that the machine's picture shows, as a line. */
const marker = {
	id: "marker",
	afterDraw(chart) {
		const x = chart.scales.x.getPixelForValue(moment.t), area = chart.chartArea;
		if (!hasMachine || !area || !(x >= area.left && x <= area.right))
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

/* Node time that jobs bring per slice of time, as a share of the machine: what
 * they ask for and how long they ran. */
function offered(s, from, to) {
	const slices = Math.max(1, Math.min(120, Math.ceil((to - from) / 3600))), width = (to - from) / slices, j = s.jobs;
	const sum = new Float64Array(slices);
	for (let i = 0; i < s.n; i++) {
		const k = Math.floor((j.submit[i] - from) / width);
		if (k >= 0 && k < slices && j.start[i] !== null && j.end[i] !== null)
			sum[k] += j.requested[i] * (j.end[i] - j.start[i]);
	}
	const points = Array.from(sum, (v, k) => ({ x: from + k * width, y: v / width / s.size }));
	points.push({ x: to, y: points[slices - 1].y });
	return points;
}

const courses = {
	use: { points: (s) => thin(s.use, view.from, view.to, 1 / s.size), y: { max: 1 }, yticks: { callback: (v) => percent(v, 0) } },
	queue: { log: false, points: (s) => thin(s.queue, view.from, view.to, 1), yticks: { precision: 0 } },
	load: { points: (s) => offered(s, view.from, view.to), yticks: { callback: (v) => percent(v, 0) } },
};

function courseFigure(id) {
	const c = courses[id];
	figure(id, {
		log: c.log,
		rows: () => rowsOf(lineSet(c.points), "time", moments),
		draw: (f) => make(id, { type: "line", plugins: [marker], data: { datasets: lineSet(c.points) },
			options: options({ time: [view.from, view.to], legend: schedules.length > 1, yticks: c.yticks,
				y: Object.assign({}, c.y, f.log ? { type: "logarithmic" } : {}),
				tooltip: { callbacks: { title: (items) => moments(items[0].parsed.x) } } }) }),
	});
}

/* Idle node time by cause, stacked: slices of the schedule that is chosen. */
function idleSeries(s) {
	const course = s.summary.idle_over_time;
	if (!course)
		return null;
	const n = course.no_demand.length, step = course.slice_s;
	return { n, step, at: (k) => s.origin + k * step, node: (cause, k) => course[cause][k] / step };
}

function drawIdle() {
	const s = current(), series = idleSeries(s), below = new Float64Array(series ? series.n : 0);
	const used = causes.filter(([key]) => series && series.n && s.summary.idle_node_s[key] > 0);
	const datasets = used.map(([key, title]) => {
		const points = [];
		for (let k = 0; k < series.n; k++) {
			below[k] += series.node(key, k);
			points.push({ x: series.at(k), y: below[k], own: series.node(key, k) });
		}
		points.push({ x: series.at(series.n), y: below[series.n - 1], own: 0 });
		const c = lines()[causes.findIndex((x) => x[0] === key)];
		return { label: title, data: points, stepped: true, pointRadius: 0, borderWidth: 1, borderColor: c,
			backgroundColor: c + "b0", fill: true };
	});
	datasets.forEach((d, k) => { d.fill = k ? "-1" : "origin"; });
	make("idle", { type: "line", plugins: [marker], data: { datasets }, options: options({
		time: [view.from, view.to], y: { suggestedMax: 1 }, absent: series ? "" : "not measured in " + s.name,
		tooltip: { mode: "index", callbacks: { title: (items) => moments(items[0].parsed.x),
			label: (item) => item.dataset.label + ": " + number(item.raw.own, 1) + " nodes" } } }) });
}

function idleRows() {
	const series = idleSeries(current());
	return [["from"].concat(causes.map((c) => c[1] + ", node hours")), series ? Array.from({ length: series.n }, (_, k) =>
		[moments(series.at(k))].concat(causes.map(([key]) => series.node(key, k) * series.step / 3600))) : []];
}

function drawCourse() {
	for (const id of Object.keys(courses))
		redraw(id);
	for (const id of ["idle", "people"])
		if (figures[id])
			redraw(id);
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

function spreadFigure(id, f, isTime, title) {
	const show = isTime ? duration : (v) => number(v, 1);
	const sets = (least) => lineSet((s) => cumulated(collect(s, f), least));
	figure(id, {
		log: true,
		rows: () => rowsOf(sets(0), title),
		draw: (fig) => make(id, { type: "line", data: { datasets: sets(fig.log ? 1 : 0) }, options: options({
			legend: schedules.length > 1, xDuration: isTime,
			x: fig.log ? { type: "logarithmic", min: 1 } : { min: 0 },
			xticks: isTime ? {} : { callback: (v) => !fig.log || /^10*$/.test(String(v)) ? show(v) : null, autoSkipPadding: 12 },
			y: { max: 1 }, yticks: { callback: (v) => percent(v, 0) },
			tooltip: { callbacks: { title: (items) => show(items[0].parsed.x), label: (item) => item.dataset.label + ": " + percent(item.parsed.y) } },
		}) }),
	});
}

/* Groups: by size (1, 2, 3-4, 5-8, ... nodes), user or partition. */
const groupBy = { kind: "size", statistic: "mean" };
const statistics = {
	mean: (v) => v.reduce((a, b) => a + b, 0) / v.length,
	p50: (v) => quantile(v, 0.5), p90: (v) => quantile(v, 0.9), p99: (v) => quantile(v, 0.99),
};
const groupKinds = ["size"].concat(schedules.some((s) => s.jobs.user) ? ["user"] : [],
	schedules.some((s) => s.jobs.account) ? ["account"] : [], schedules.some((s) => s.jobs.partition && s.partitions.length > 1) ? ["partition"] : []);
const sizeClass = (n) => Math.ceil(Math.log2(Math.max(1, n)));
const sizeName = (c) => c < 2 ? String(c + 1) : (2 ** (c - 1) + 1) + "\u2013" + 2 ** c;
const groupOf = (s, i) => groupBy.kind === "size" ? sizeClass(s.jobs.requested[i]) :
	(groupBy.kind === "user" ? user(s, i) : groupBy.kind === "account" ? account(s, i) : partition(s, i)) || "\u2013";

/* The groups that the charts show: all sizes, else those with the most node
 * time, at most 24. */
function groupList() {
	const work = new Map();
	for (const s of schedules)
		for (let i = 0; i < s.n; i++) {
			const g = groupOf(s, i), j = s.jobs;
			work.set(g, (work.get(g) || 0) + (j.start[i] === null || j.end[i] === null ? 0 : j.requested[i] * (j.end[i] - j.start[i])));
		}
	if (groupBy.kind === "size")
		return Array.from({ length: Math.max(...work.keys(), 0) + 1 }, (_, c) => c);
	return Array.from(work.keys()).sort((a, b) => work.get(b) - work.get(a)).slice(0, 24);
}

/* A value per group of the list: of the sorted values of its jobs. */
function groupValues(s, list, f, statistic) {
	const values = new Map(list.map((g) => [g, []]));
	for (let i = 0; i < s.n; i++) {
		const v = s.jobs.state[i] === "completed" ? f(s.jobs, i) : null, to = v === null ? null : values.get(groupOf(s, i));
		if (to)
			to.push(v);
	}
	return list.map((g) => values.get(g).length ? statistic(values.get(g).sort((a, b) => a - b)) : null);
}

const nodeHours = (j, i) => j.start[i] === null || j.end[i] === null ? null : j.requested[i] * (j.end[i] - j.start[i]) / 3600;
const groupFigures = [
	["waitgroups", waitOf, true, () => statistics[groupBy.statistic]],
	["slowgroups", slowdownOf, false, () => statistics[groupBy.statistic]],
	["workgroups", nodeHours, false, () => (v) => v.reduce((a, b) => a + b, 0)],
	["countgroups", () => 1, false, () => (v) => v.length],
];

function groupFigure([id, f, isTime, statistic]) {
	const names = (list) => list.map((g) => groupBy.kind === "size" ? sizeName(g) : g);
	figure(id, {
		log: false,
		rows: () => {
			const list = groupList(), values = schedules.map((s) => groupValues(s, list, f, statistic()));
			return [[groupBy.kind].concat(schedules.map((s) => s.label)), names(list).map((n, k) => [n].concat(values.map((v) => v[k])))];
		},
		draw: (fig) => {
			const list = groupList(), labels = names(list);
			const o = options({ x: { type: "category", labels }, xticks: { maxRotation: 60, autoSkip: false }, legend: schedules.length > 1,
				y: fig.log ? { type: "logarithmic" } : {}, yDuration: isTime,
				yticks: isTime ? {} : { callback: (v) => !fig.log || /^10*$/.test(String(v)) ? number(v, 1) : null } });
			o.parsing = true;
			o.normalized = false;
			o.plugins.tooltip.callbacks = { label: (item) => item.dataset.label + ": " + (isTime ? duration(item.parsed.y) : number(item.parsed.y, 2)) };
			make(id, { type: "bar", data: { labels, datasets: barSet((s) => groupValues(s, list, f, statistic())) }, options: o });
		},
	});
}

function drawGroups() {
	groupFigures.forEach(([id]) => redraw(id));
}

/* Hour by weekday, of the schedule that is chosen: [7][24]. */
const heat = {
	kind: "jobs",
	kinds: { jobs: ["jobs submitted", () => 1, false], hours: ["node hours submitted", nodeHours, false], wait: ["mean wait of the jobs submitted", waitOf, true] },
};

function heatCells() {
	const s = current(), j = s.jobs, f = heat.kinds[heat.kind][1], mean = heat.kinds[heat.kind][2];
	const sum = new Float64Array(168), n = new Float64Array(168);
	for (let i = 0; i < s.n; i++) {
		const v = f(j, i), t = local(j.submit[i]);
		if (v === null)
			continue;
		const k = weekday(t) * 24 + Math.floor(t / 3600) % 24;
		sum[k] += v;
		n[k]++;
	}
	return Array.from(sum, (v, k) => mean ? n[k] ? v / n[k] : null : v);
}

function drawHeat(f) {
	const cells = heatCells(), most = Math.max(...cells.map((v) => v || 0)) || 1, left = 34, bottom = 18;
	const { ctx, width } = canvasFor(f.canvas, 7 * 22 + bottom), w = (width - left) / 24, base = lines()[0];
	ctx.font = "11px system-ui, sans-serif";
	ctx.textBaseline = "middle";
	cells.forEach((v, k) => {
		const x = left + k % 24 * w, y = Math.floor(k / 24) * 22;
		ctx.fillStyle = style("--idle");
		ctx.fillRect(x, y, Math.max(0, w - 1), 21);
		ctx.globalAlpha = (v || 0) / most;
		ctx.fillStyle = base;
		ctx.fillRect(x, y, Math.max(0, w - 1), 21);
		ctx.globalAlpha = 1;
	});
	ctx.fillStyle = style("--soft");
	weekdays.forEach((d, k) => ctx.fillText(d, 0, k * 22 + 11));
	for (let hour = 0; hour < 24; hour += w < 22 ? 6 : 3)
		ctx.fillText(two(hour) + ":00", left + hour * w, 7 * 22 + 10);
	const word = heat.kinds[heat.kind];
	$("heatkey").textContent = "Strongest: " + (word[2] ? duration(most) : number(most, 1)) + " " + word[0] + ". Hours are " + calendar.zone + ".";
}

function heatFigure() {
	figure("heat", { own: true, draw: drawHeat, rows: () => {
		const cells = heatCells();
		return [["weekday"].concat(Array.from({ length: 24 }, (_, h) => two(h) + ":00")), weekdays.map((d, k) => [d].concat(cells.slice(k * 24, k * 24 + 24)))];
	} });
	const { canvas, tip: box } = figures.heat;
	canvas.addEventListener("pointermove", (e) => {
		const hour = Math.floor((e.offsetX - 34) / ((canvas.parentElement.clientWidth - 34) / 24)), day = Math.floor(e.offsetY / 22);
		const v = hour >= 0 && hour < 24 && day < 7 ? heatCells()[day * 24 + hour] : undefined;
		tip(box, e, v === undefined ? "" : weekdays[day] + " " + two(hour) + ":00: " + (heat.kinds[heat.kind][2] ? v === null ? "no job" : duration(v) : number(v, 1)) + " " + heat.kinds[heat.kind][0]);
	});
}

/* Nodes in use by the six users or accounts with the most, of the schedule that is
 * chosen: means over slices of the window. */
const people = { by: "user", kinds: ["user", "account"].filter((k) => schedules.some((s) => s.jobs[k])) };
function peopleSets() {
	const s = current(), j = s.jobs, slices = 100, width = (view.to - view.from) / slices, sums = new Map();
	for (let i = 0; i < s.n; i++) {
		if (j.start[i] === null)
			continue;
		const begin = Math.max(view.from, j.start[i]), end = Math.min(view.to, j.end[i] === null ? s.last : j.end[i]);
		if (begin >= end)
			continue;
		const name = (people.by === "user" ? user(s, i) : account(s, i)) || "\u2013", sum = sums.get(name) || new Float64Array(slices + 1);
		sums.set(name, sum);
		for (let k = Math.floor((begin - view.from) / width); k < slices && view.from + k * width < end; k++) {
			const t = view.from + k * width, used = j.requested[i] * (Math.min(end, t + width) - Math.max(begin, t));
			sum[k] += used / width;
			sum[slices] += used;
		}
	}
	return Array.from(sums).sort((a, b) => b[1][slices] - a[1][slices]).slice(0, 6).map(([name, sum], n) => ({ label: name, order: -n,
		data: Array.from(sum.subarray(0, slices), (y, k) => ({ x: view.from + k * width, y })).concat({ x: view.to, y: sum[slices - 1] }),
		borderColor: lines()[n], borderDash: dashes[n], borderWidth: 1.5, pointRadius: 0, stepped: true }));
}

function peopleFigure() {
	people.by = people.kinds[0];
	people.kinds.forEach((k) => $("people-by").add(new Option(k, k)));
	$("people-by").onchange = () => {
		people.by = $("people-by").value;
		redraw("people");
	};
	figure("people", {
		rows: () => [["time", people.by, "nodes"], peopleSets().flatMap((set) => set.data.map((p) => [moments(p.x), set.label, p.y]))],
		draw: () => make("people", { type: "line", plugins: [marker], data: { datasets: peopleSets() }, options: options({ time: [view.from, view.to],
			tooltip: { callbacks: { title: (items) => moments(items[0].parsed.x) } } }) }),
	});
}

/* Mean wait by requested time and size, of the schedule that is chosen. */
const limitClasses = [300, 900, 3600, 14400, 43200, 86400, 259200, Infinity];
function gridCells() {
	const s = current(), j = s.jobs, cells = new Map();
	let columns = 0;
	for (let i = 0; i < s.n; i++) {
		const w = waitOf(j, i);
		if (w === null || !j.limit || j.limit[i] === null)
			continue;
		const size = sizeClass(j.requested[i]), key = limitClasses.findIndex((t) => j.limit[i] <= t) + "," + size, cell = cells.get(key) || { sum: 0, n: 0 };
		cell.sum += w;
		cell.n++;
		cells.set(key, cell);
		columns = Math.max(columns, size + 1);
	}
	return { columns, at: (r, c) => cells.get(r + "," + c) };
}
const limitName = (r) => r === limitClasses.length - 1 ? "more" : "\u2264 " + duration(limitClasses[r]);

function drawGrid(f) {
	const { columns, at } = gridCells(), line = 24, left = 64, { ctx, width } = canvasFor(f.canvas, limitClasses.length * line + 20), w = (width - left) / Math.max(1, columns);
	const mean = (r, c) => at(r, c) ? at(r, c).sum / at(r, c).n : null, base = lines()[0];
	const most = Math.max(1, ...limitClasses.flatMap((_, r) => Array.from({ length: columns }, (_2, c) => mean(r, c) || 0)));
	ctx.font = "11px system-ui, sans-serif";
	ctx.textBaseline = "middle";
	limitClasses.forEach((_, r) => {
		ctx.fillStyle = style("--soft");
		ctx.textAlign = "left";
		ctx.fillText(limitName(r), 0, r * line + line / 2);
		for (let c = 0; c < columns; c++) {
			const v = mean(r, c), x = left + c * w, deep = v === null ? 0 : 0.55 * Math.log1p(v) / Math.log1p(most);
			ctx.fillStyle = style("--idle");
			ctx.fillRect(x, r * line, Math.max(0, w - 1), line - 1);
			ctx.globalAlpha = deep;
			ctx.fillStyle = base;
			ctx.fillRect(x, r * line, Math.max(0, w - 1), line - 1);
			ctx.globalAlpha = 1;
			ctx.fillStyle = style("--ink");
			ctx.textAlign = "center";
			if (v !== null && w > 44)
				ctx.fillText(duration(v), x + w / 2, r * line + line / 2);
		}
	});
	ctx.fillStyle = style("--soft");
	for (let c = 0; c < columns; c++)
		ctx.fillText(w > 44 || c % 2 === 0 ? sizeName(c) : "", left + (c + 0.5) * w, limitClasses.length * line + 9);
}

function gridFigure() {
	figure("waitgrid", { own: true, draw: drawGrid, rows: () => {
		const { columns, at } = gridCells(), rows = [];
		limitClasses.forEach((_, r) => {
			for (let c = 0; c < columns; c++)
				if (at(r, c))
					rows.push([limitName(r), sizeName(c), at(r, c).n, at(r, c).sum / at(r, c).n]);
		});
		return [["requested time", "nodes", "jobs", "mean wait, s"], rows];
	} });
}

function makeFigures() {
	Object.keys(courses).forEach(courseFigure);
	if (schedules.some((s) => s.summary.idle_over_time))
		figure("idle", { draw: drawIdle, rows: idleRows });
	spreadFigure("waits", waitOf, true, "wait, s");
	spreadFigure("slowdowns", slowdownOf, false, "bounded slowdown");
	groupFigures.forEach(groupFigure);
	if (people.kinds.length)
		peopleFigure();
	if (schedules.some((s) => s.jobs.limit))
		gridFigure();
	if (calendar.epoch !== null)
		heatFigure();
}

function drawSpread() {
	redraw("waits");
	redraw("slowdowns");
	drawGroups();
	for (const id of ["heat", "waitgrid"])
		if (figures[id])
			redraw(id);
}

/* Dragging across a chart over time zooms in. */
function draggable(canvas, toTime) {
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
	for (const id of Object.keys(courses).concat(figures.idle ? ["idle"] : []))
		draggable(figures[id].canvas, (e) =>
			Math.max(view.from, Math.min(view.to, charts[id].scales.x.getValueForPixel(e.offsetX))));
}

function groupControls() {
	groupKinds.forEach((k) => $("groupby").add(new Option(k, k)));
	for (const [id, key] of [["groupby", "kind"], ["statistic", "statistic"]])
		$(id).onchange = () => {
			groupBy[key] = $(id).value;
			drawGroups();
			figureChanged();
		};
	Object.keys(heat.kinds).forEach((k) => $("heatkind").add(new Option(heat.kinds[k][0], k)));
	$("heatkind").onchange = () => {
		heat.kind = $("heatkind").value;
		redraw("heat");
		figureChanged();
	};
}
