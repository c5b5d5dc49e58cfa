/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two schedules job by job, and how the page begins. */

/* The rows of each id, in the order of submission: an id may come again. */
function rowsById(s) {
	const rows = new Map(), order = Array.from({ length: s.n }, (_, i) => i).sort((a, b) => s.jobs.submit[a] - s.jobs.submit[b]);
	for (const i of order)
		rows.set(s.jobs.id[i], (rows.get(s.jobs.id[i]) || []).concat(i));
	return rows;
}

/* Both summaries name one trace; where one names none, no id has two submissions. */
function sameJobs(a, b) {
	if (a.summary.trace_sha256 && b.summary.trace_sha256)
		return a.summary.trace_sha256 === b.summary.trace_sha256;
	const other = rowsById(b);
	return Array.from(rowsById(a)).every(([id, rows]) => !other.has(id) || a.jobs.submit[rows[0]] === b.jobs.submit[other.get(id)[0]]);
}

/* Several schedules, and an id is the same job in all of them. */
const comparable = schedules.length > 1 && (Boolean(data.weekly) || schedules.every((s) => sameJobs(schedules[0], s)));

function pairs(a, b) {
	const other = rowsById(b), found = [];
	for (const [id, rows] of rowsById(a)) {
		const others = other.get(id) || [];
		rows.forEach((i, n) => {
			const k = others[n];
			if (others.length === rows.length && a.jobs.start[i] !== null && b.jobs.start[k] !== null)
				found.push({ id, nodes: a.jobs.requested[i], a: waitOf(a.jobs, i), b: waitOf(b.jobs, k) });
		});
	}
	return found;
}

function drawCompare() {
	const a = schedules[Number($("first").value)], b = schedules[Number($("second").value)];
	const found = pairs(a, b), sorted = found.slice().sort((x, y) => (y.b - y.a) - (x.b - x.a));
	let earlier = 0, later = 0;
	for (const p of found) {
		earlier += p.b < p.a;
		later += p.b > p.a;
	}
	$("verdict").textContent = number(found.length, 0) + " jobs started in both. With " + b.label + ", " +
		number(earlier, 0) + " start earlier, " + number(later, 0) + " later, " +
		number(found.length - earlier - later, 0) + " at the same time.";
	const list = (rows) => rows.map((p) => [p.id, number(p.nodes, 0), duration(p.a), duration(p.b), signed(p.b - p.a, duration)]);
	const head = ["job", "nodes", a.label, b.label, "difference"];
	const show = (id, found) => table($(id), found.length ? head : [], found.length ? list(found) : [["no job"]]);
	show("losers", sorted.filter((p) => p.b > p.a).slice(0, 10));
	show("winners", sorted.filter((p) => p.b < p.a).slice(-10).reverse());
	const step = Math.max(1, Math.ceil(found.length / 4000)), points = [];
	for (let i = 0; i < found.length; i += step)
		points.push({ x: Math.max(1, found[i].a), y: Math.max(1, found[i].b) });
	const most = points.reduce((m, p) => Math.max(m, p.x, p.y), 10);
	compared.found = found;
	compared.draw = (log) => drawScatter(a, b, points, most, log);
	redraw("scatter");
}

/* The pair of schedules that is shown. */
const compared = { found: [], draw: () => {} };

function drawScatter(a, b, points, most, log) {
	const axis = (s) => Object.assign(log ? { type: "logarithmic", min: 1 } : { min: 0 },
		{ max: most, title: { display: true, text: "wait, " + s.label, color: style("--soft"), font: { size: letterSize() } } });
	make("scatter", { data: { datasets: [
		{ type: "scatter", data: points, pointRadius: 2, backgroundColor: lines()[0] + "88" },
		{ type: "line", data: [{ x: 1, y: 1 }, { x: most, y: most }], borderColor: style("--soft"), borderWidth: 1, pointRadius: 0 },
	] }, options: options({ legend: false, xDuration: true, yDuration: true, x: axis(a), y: axis(b),
		tooltip: { callbacks: { label: (item) => duration(item.parsed.x) + " and " + duration(item.parsed.y) } } }) });
}

function compareControls() {
	figure("scatter", { height: 340, log: true, draw: (f) => compared.draw(f.log),
		rows: () => [["job", "nodes", "wait, first, s", "wait, second, s"], compared.found.map((p) => [p.id, p.nodes, p.a, p.b])] });
	for (const id of ["first", "second"]) {
		schedules.forEach((s, i) => $(id).add(new Option(s.label, i)));
		$(id).onchange = drawCompare;
	}
	$("second").value = "1";
}

function drawAll() {
	style_idle = style("--idle");
	drawCourse();
	if (figures.trend)
		redraw("trend");
	drawSpread();
	if (comparable)
		drawCompare();
	if (hasMachine) {
		drawBars();
		drawCells();
	}
}

function showParts() {
	const parts = { machine: hasMachine, two: comparable, calendar: calendar.epoch !== null,
		idle: schedules.some((s) => s.summary.idle_over_time), people: people.kinds.length > 0, limit: schedules.some((s) => s.jobs.limit), weekly: Boolean(data.weekly) };
	for (const [part, there] of Object.entries(parts))
		document.querySelectorAll(".needs-" + part).forEach((e) => { e.hidden = !there; });
}

function subtitle() {
	const jobs = number(schedules.reduce((n, s) => Math.max(n, s.n), 0), 0) + " jobs";
	const when = calendar.epoch === null ? clock(last - origin) + " long; times count from the first submission" :
		moments(origin) + " to " + moments(last) + " " + calendar.zone;
	return jobs + (schedules.length > 1 ? ", " + schedules.length + " schedules, " : ", ") + when +
		(schedules.length > 1 && !comparable ? "; of different traces, and not compared job by job" : "");
}

/* What is shown unless the address says otherwise: all; of a weekly page the two
 * weeks. */
function viewBegin() {
	if (data.weekly) {
		view.from = Math.max(origin, data.weekly.until - 2 * WEEK);
		view.to = Math.min(last, data.weekly.until);
	}
	view.first = { from: view.from, to: view.to };
	moment.t = (view.from + view.to) / 2;
}

/* Tables at once; what is drawn when the browser has shown them. */
function begin() {
	$("title").textContent = data.title;
	$("subtitle").textContent = subtitle();
	showParts();
	if (data.weekly)
		drawWeekly();
	drawSummary();
	drawSources();
	makeFigures();
	windowButtons();
	groupControls();
	moment.schedule = Math.max(0, schedules.findIndex((s) => s.pods.length > 0),
		schedules.findIndex((s) => s.pods.length > 0 && s.placed));
	scheduleControls();
	chooseSchedule(moment.schedule);
	if (comparable)
		compareControls();
	if (hasMachine)
		machineControls();
	viewBegin();
	searchControls();
	viewLoad();
	/* one after the other, so that each is seen when it is there */
	inTurn([() => {
		setWindow(view.from, view.to);
		redraw("use");
		document.documentElement.dataset.first = Math.round(performance.now());
	}, drawCourse, () => figures.trend && redraw("trend"), drawSpread, comparable && drawCompare, hasMachine && (() => setMoment(moment.t)), hasMachine && drawBars, () => {
		view.listeners.push(drawCourse, drawBars);
		drawFound();
		watchLook(drawAll);
		figureChanged = addressSave;
		document.documentElement.dataset.ready = "yes";
	}]);
}

function inTurn(parts) {
	const [part, ...rest] = parts.filter((f) => f);
	requestAnimationFrame(() => setTimeout(() => {
		part();
		if (rest.length)
			inTurn(rest);
	}));
}
begin();
