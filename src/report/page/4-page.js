/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two schedules job by job, and how the page begins. */

/* Several schedules, and an id is the same job in all of them. */
const comparable = schedules.length > 1 &&
	new Set(schedules.map((s) => s.summary.trace_sha256).filter(Boolean)).size < 2;

function pairs(a, b) {
	const where = new Map(), found = [];
	for (let i = 0; i < b.n; i++)
		where.set(b.jobs.id[i], i);
	for (let i = 0; i < a.n; i++) {
		const k = where.get(a.jobs.id[i]);
		if (k === undefined || a.jobs.start[i] === null || b.jobs.start[k] === null)
			continue;
		found.push({ id: a.jobs.id[i], nodes: a.jobs.requested[i], a: waitOf(a.jobs, i), b: waitOf(b.jobs, k) });
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
	$("verdict").textContent = number(found.length, 0) + " jobs started in both. With " + b.name + ", " +
		number(earlier, 0) + " start earlier, " + number(later, 0) + " later, " +
		number(found.length - earlier - later, 0) + " at the same time.";
	const list = (rows) => rows.map((p) => [p.id, number(p.nodes, 0), clock(p.a), clock(p.b), (p.b > p.a ? "+" : "") + clock(p.b - p.a)]);
	const head = ["job", "nodes", a.name, b.name, "difference"];
	table($("losers"), head, list(sorted.filter((p) => p.b > p.a).slice(0, 10)));
	table($("winners"), head, list(sorted.filter((p) => p.b < p.a).slice(-10).reverse()));
	const step = Math.max(1, Math.ceil(found.length / 4000)), points = [];
	for (let i = 0; i < found.length; i += step)
		points.push({ x: Math.max(1, found[i].a), y: Math.max(1, found[i].b) });
	const most = points.reduce((m, p) => Math.max(m, p.x, p.y), 10);
	const tick = { callback: (v) => /^10*$/.test(String(v)) ? number(v, 0) + " s" : null };
	const o = options({ wide: 96, x: { type: "logarithmic", min: 1, max: most, title: { display: true, text: "wait, " + a.name, color: style("--soft") } }, xticks: tick,
		y: { type: "logarithmic", min: 1, max: most, title: { display: true, text: "wait, " + b.name, color: style("--soft") } }, yticks: tick });
	o.plugins.legend.display = false;
	make("scatter", { data: { datasets: [
		{ type: "scatter", data: points, pointRadius: 2, backgroundColor: lines()[0] + "88" },
		{ type: "line", data: [{ x: 1, y: 1 }, { x: most, y: most }], borderColor: style("--soft"), borderWidth: 1, pointRadius: 0 },
	] }, options: o });
}

function compareControls() {
	for (const id of ["first", "second"]) {
		schedules.forEach((s, i) => $(id).add(new Option(s.name, i)));
		$(id).onchange = drawCompare;
	}
	$("second").value = "1";
}

function drawAll() {
	style_idle = style("--idle");
	drawCourse();
	drawSpread();
	if (comparable)
		drawCompare();
	if (hasMachine) {
		drawBars();
		drawCells();
	}
}

/* Tables at once; what is drawn when the browser has shown them. */
function begin() {
	let jobs = 0;
	schedules.forEach((s) => { jobs += s.n; });
	$("title").textContent = data.title;
	$("subtitle").textContent = number(jobs, 0) + " jobs in " + schedules.length +
		(schedules.length > 1 ? " schedules" : " schedule") + ", " + clock(last - origin) + " long";
	document.querySelectorAll(".needs-machine").forEach((e) => { e.hidden = !hasMachine; });
	document.querySelectorAll(".needs-two").forEach((e) => { e.hidden = !comparable; });
	drawSummary();
	drawSources();
	windowButtons();
	if (comparable)
		compareControls();
	moment.schedule = Math.max(0, schedules.findIndex((s) => s.pods.length > 0));
	$("which").value = moment.schedule;
	if (hasMachine)
		machineControls();
	view.listeners.push(drawCourse, drawBars);
	requestAnimationFrame(() => setTimeout(() => {
		drawSpread();
		if (comparable)
			drawCompare();
		setWindow(origin, last);
		if (hasMachine)
			setMoment(origin + (last - origin) / 2);
		document.documentElement.dataset.ready = "yes";
	}));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
	let width = window.innerWidth;
	window.addEventListener("resize", () => {
		if (window.innerWidth !== width) {
			width = window.innerWidth;
			drawAll();
		}
	});
}
begin();
