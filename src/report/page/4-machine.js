/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine at a moment, as nested planes that storus has laid out (its
 * layout.h; storus map draws from the same); and the nodes over time.
 */
const moment = { t: origin, schedule: 0, job: null, cursor: null, timer: null };
const current = () => schedules[moment.schedule];

/* Of the layouts that the page came with, per pod, the widest that there is
 * room for; the narrowest is scaled down if need be. */
function layoutOf(s, width) {
	const widths = s.pods.length ? s.pods[0].layouts.length : 0;
	const widest = (i) => Math.max(...s.pods.map((p) => p.layouts[i].width));
	let i = widths - 1, top = 0;
	while (i > 0 && widest(i) > width)
		i--;
	const k = Math.min(1.6, width / widest(i)); /* a small machine need not be small on a large screen */
	const pods = s.pods.map((pod) => {
		const at = pod.layouts[i];
		top += s.pods.length > 1 ? 20 : 0;
		const p = { pod, at, k, cell: at.cell * k, top };
		top += at.height * k + 8;
		return p;
	});
	return { pods, height: top };
}

/* The place of a pod's node: left, top. */
function cellAt(p, index) {
	let x = p.at.x, y = p.at.y;
	p.pod.dims.forEach((n, d) => {
		const c = index % n, across = p.at.across[d];
		x += c % across * p.at.stepX[d];
		y += Math.floor(c / across) * p.at.stepY[d];
		index = Math.floor(index / n);
	});
	return { x: x * p.k, y: p.top + y * p.k };
}

/* The node of a pod at a point, or -1: from the outermost dimension inwards. */
function nodeAt(p, left, top) {
	const at = p.at, dims = p.pod.dims;
	let x = left / p.k - at.x, y = (top - p.top) / p.k - at.y, index = 0;
	for (let d = dims.length - 1; d >= 0; d--) {
		const column = at.across[d] > 1 ? Math.floor(x / at.stepX[d]) : 0;
		const line = at.stepY[d] ? Math.floor(y / at.stepY[d]) : 0;
		const c = line * at.across[d] + column;
		if (column < 0 || column >= at.across[d] || c < 0 || c >= dims[d])
			return -1;
		x -= column * at.stepX[d];
		y -= line * at.stepY[d];
		index = index * dims[d] + c;
	}
	return x >= 0 && x < at.cell && y >= 0 && y < at.cell ? index : -1;
}

/* The bit of the node under a point, or -1. */
function bitAt(layout, x, y) {
	for (const p of layout.pods) {
		const index = nodeAt(p, x, y);
		if (index >= 0)
			return p.pod.first + index;
	}
	return -1;
}

const picture = { layout: null, owner: null };

function drawCells() {
	const s = current();
	if (!s.pods.length || !figures.map)
		return;
	const layout = layoutOf(s, $("cells").parentElement.clientWidth);
	const { ctx } = canvasFor($("cells"), layout.height + 2);
	const owner = new Int32Array(s.bits).fill(-1), ink = style("--ink");
	const jobs = running(s, moment.t);
	for (const job of jobs)
		for (const bit of nodesOf(s, job))
			owner[bit] = job;
	picture.layout = layout;
	picture.owner = owner;
	ctx.font = "11px system-ui, sans-serif";
	ctx.textBaseline = "middle";
	for (const p of layout.pods) {
		ctx.fillStyle = style("--soft");
		ctx.textAlign = "left";
		if (s.pods.length > 1)
			ctx.fillText(p.pod.name, 0, p.top - 10);
		for (const [x, y, text] of p.at.labels)
			ctx.fillText(text, x * p.k, p.top + y * p.k + 7);
		drawPod(ctx, p, owner, ink);
	}
	describe(jobs);
}

/* A line between neighbouring nodes of two jobs of one colour. */
function borders(ctx, p, i, owner) {
	const dims = p.pod.dims, job = owner[p.pod.first + i], at = cellAt(p, i);
	for (let d = 0, step = 1; d < Math.min(2, dims.length); step *= dims[d++]) {
		const other = Math.floor(i / step) % dims[d] ? owner[p.pod.first + i - step] : -1, beside = cellAt(p, i - step);
		if (other < 0 || other === job || colour(other) !== colour(job) || (d ? beside.x !== at.x : beside.y !== at.y))
			continue;
		ctx.fillStyle = style("--ink");
		ctx.fillRect(at.x - (d ? 0 : 1.5), at.y - (d ? 1.5 : 0), d ? p.cell : 2, d ? 2 : p.cell);
	}
}

function drawPod(ctx, p, owner, ink) {
	const total = p.pod.dims.reduce((a, b) => a * b, 1), gap = p.cell > 5 ? 1 : 0;
	ctx.textAlign = "center";
	for (let i = 0; i < total; i++) {
		const at = cellAt(p, i), bit = p.pod.first + i, job = owner[bit];
		const faded = moment.job !== null && job !== moment.job;
		ctx.globalAlpha = job >= 0 && faded ? 0.35 : 1;
		ctx.fillStyle = job < 0 ? style_idle : colour(job);
		ctx.fillRect(at.x, at.y, p.cell - gap, p.cell - gap);
		if (job >= 0 && p.cell >= 13) {
			ctx.fillStyle = dark(colour(job)) ? "#fff" : "#000";
			ctx.fillText(letter(job), at.x + (p.cell - gap) / 2, at.y + p.cell / 2);
		}
		ctx.globalAlpha = 1;
		if (job >= 0)
			borders(ctx, p, i, owner);
		if (bit === moment.cursor) {
			ctx.strokeStyle = ink;
			ctx.lineWidth = 2;
			ctx.strokeRect(at.x, at.y, p.cell - gap, p.cell - gap);
		}
	}
}
let style_idle = style("--idle");

function jobWords(s, i) {
	const j = s.jobs, parts = ["job " + j.id[i], user(s, i), number(j.granted[i] || j.requested[i], 0) + " nodes", j.region[i], ringOf(s, i) && "rings " + ringOf(s, i)];
	if (j.start[i] !== null)
		parts.push("waited " + duration(waitOf(j, i)), moments(j.start[i]) + " to " +
			(j.end[i] === null ? "?" : moments(j.end[i])));
	return parts.filter((x) => x).join(", ");
}

function describe(jobs) {
	const s = current(), box = $("job");
	let busy = 0;
	for (const i of jobs)
		busy += s.jobs.granted[i];
	$("legend").textContent = jobs.length + " jobs on " + busy + " of " + s.nodes + " nodes. " + (s.placed ?
		"Colours repeat; letters and the pointer tell the jobs." : "Which ones is not known: " + s.name + " has no regions.");
	box.classList.toggle("screen", moment.job === null);
	if (moment.job === null) {
		box.textContent = "Point at a node to see its job; click, or press Enter, to follow it.";
		return;
	}
	const j = s.jobs, i = moment.job;
	const state = moment.t < j.start[i] ? "has not started" : j.end[i] !== null && moment.t >= j.end[i] ? "is over" : "runs";
	box.textContent = jobWords(s, i) + ". It " + state + " now. ";
	for (const [word, t] of [["its start", j.start[i]], ["its end", j.end[i]]]) {
		if (t === null)
			continue;
		const b = document.createElement("button");
		b.textContent = word;
		b.onclick = () => setMoment(word === "its end" ? t - 1e-6 : t);
		box.append(b, " ");
	}
	const stop = document.createElement("button");
	stop.textContent = "let go";
	stop.onclick = () => follow(null);
	box.append(stop);
}

function setMoment(t) {
	const s = current();
	moment.t = Math.max(s.origin, Math.min(s.last, t));
	$("when").min = s.origin;
	$("when").max = s.last;
	$("when").value = moment.t;
	$("when").setAttribute("aria-valuetext", moments(moment.t));
	$("now").textContent = moments(moment.t);
	drawCells();
	for (const id of Object.keys(courses).concat("idle"))
		if (charts[id])
			charts[id].draw();
	drawMarker();
	figureChanged();
}

function follow(job) {
	moment.job = job;
	drawCells();
	drawBars();
	figureChanged();
}

/* The next start or end after the moment, or the one before. */
function event(direction) {
	const time = current().use.time;
	if (direction > 0) {
		const i = after(time, moment.t);
		return i < time.length ? time[i] : moment.t;
	}
	let i = after(time, moment.t) - 1;
	while (i >= 0 && time[i] >= moment.t)
		i--;
	return i >= 0 ? time[i] : moment.t;
}

function coordinates(s, bit) {
	const pod = s.pods.filter((p) => p.first <= bit).pop();
	let rest = bit - pod.first;
	if (pod.flat)
		return String(rest);
	return (s.pods.length > 1 ? pod.name + ":" : "") + pod.dims.map((n, d) => {
		const c = rest % n;
		rest = Math.floor(rest / n);
		return pod.unit ? c * pod.unit[d] : c;
	}).join(",");
}

function cellWords(bit) {
	const s = current(), job = picture.owner[bit];
	return "node " + coordinates(s, bit) + ": " + (job < 0 ? "idle" : jobWords(s, job));
}

function cellEvents() {
	const canvas = $("cells");
	canvas.addEventListener("pointermove", (e) => {
		const bit = bitAt(picture.layout, e.offsetX, e.offsetY);
		tip(figures.map.tip, e, bit < 0 ? "" : cellWords(bit));
	});
	canvas.addEventListener("click", (e) => {
		const bit = bitAt(picture.layout, e.offsetX, e.offsetY);
		const job = bit < 0 ? -1 : picture.owner[bit];
		follow(job < 0 || job === moment.job ? null : job);
	});
	canvas.addEventListener("keydown", (e) => {
		const s = current(), pod = s.pods.filter((p) => p.first <= (moment.cursor || 0)).pop();
		const row = pod.layouts[0].across.length > 1 ? pod.dims[0] : picture.layout.pods[s.pods.indexOf(pod)].at.across[0];
		const plane = pod.dims[0] * (pod.dims[1] || 1);
		const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row, PageDown: plane, PageUp: -plane }[e.key];
		if (step !== undefined) {
			moment.cursor = moment.cursor === null ? 0 : Math.max(0, Math.min(s.bits - 1, moment.cursor + step));
			drawCells();
			$("job").textContent = cellWords(moment.cursor);
			e.preventDefault();
		} else if (e.key === "Enter" && moment.cursor !== null) {
			follow(picture.owner[moment.cursor] < 0 ? null : picture.owner[moment.cursor]);
			e.preventDefault();
		} else if (e.key === "Escape")
			follow(null);
	});
}

/* Consecutive nodes of a job as [first, length]. */
function runsOf(s, job) {
	const nodes = nodesOf(s, job).slice().sort((a, b) => a - b), runs = [];
	for (const n of nodes) {
		const r = runs[runs.length - 1];
		if (r && r[0] + r[1] === n)
			r[1]++;
		else
			runs.push([n, 1]);
	}
	return runs;
}

const BARS = 360, MOST_RECTANGLES = 20000, LEFT = 46, BOTTOM = 22;
let barsImage = null;

/* Rectangles that the jobs are, about: from a sample. */
function rectangles(s, seen) {
	const step = Math.max(1, Math.floor(seen.length / 200));
	let n = 0;
	for (let k = 0; k < seen.length; k += step)
		n += runsOf(s, seen[k]).length * step;
	return n;
}

/* The share of each cell's nodes and time that is in use: where jobs are too
 * many to draw one by one, a cell has as much colour as it is busy. */
function density(s, seen, columns, lineCount) {
	const busy = new Float32Array(columns * lineCount), j = s.jobs, span = view.to - view.from;
	const perLine = s.bits / lineCount, cell = span / columns;
	for (const i of seen) {
		const begin = Math.max(view.from, j.start[i]), end = Math.min(view.to, j.end[i] === null ? s.last : j.end[i]);
		const first = Math.min(columns - 1, Math.floor((begin - view.from) / cell)), final = Math.min(columns - 1, Math.floor((end - view.from) / cell));
		for (const [node, length] of runsOf(s, i))
			for (let l = Math.floor(node / perLine); l < lineCount && l * perLine < node + length; l++) {
				const nodes = Math.min(node + length, (l + 1) * perLine) - Math.max(node, l * perLine);
				for (let c = first; c <= final; c++) {
					const t = view.from + c * cell;
					busy[l * columns + c] += nodes * (Math.min(end, t + cell) - Math.max(begin, t));
				}
			}
	}
	const whole = perLine * cell;
	return busy.map((v) => Math.min(1, v / whole));
}

function drawDensity(ctx, s, seen, w, h) {
	const columns = Math.max(1, Math.min(800, Math.floor(w))), lineCount = Math.max(1, Math.min(s.bits, Math.floor(h)));
	const busy = density(s, seen, columns, lineCount);
	const x = (c) => LEFT + Math.round(c * w / columns), y = (l) => Math.round(l * h / lineCount); /* whole pixels: no seams */
	ctx.fillStyle = lines()[0];
	busy.forEach((v, k) => {
		if (v <= 0)
			return;
		const c = k % columns, l = Math.floor(k / columns);
		ctx.globalAlpha = v;
		ctx.fillRect(x(c), y(l), x(c + 1) - x(c), y(l + 1) - y(l));
	});
	ctx.globalAlpha = 1;
}

function drawBars() {
	const s = current();
	if (!s.pods.length || !figures.nodes)
		return;
	const { ctx, width } = canvasFor($("bars"), BARS), j = s.jobs;
	const w = width - LEFT, h = BARS - BOTTOM, span = view.to - view.from;
	barsImage = null;
	if (w < 20)
		return;
	const seen = s.order.filter((i) => j.start[i] < view.to && (j.end[i] === null || j.end[i] > view.from));
	const dense = rectangles(s, seen) > MOST_RECTANGLES;
	$("thinned").textContent = number(seen.length, 0) + " jobs. Node numbers downward, time across. " + (!s.placed ?
		"Which nodes they had is not known: " + s.name + " has no regions." : dense ?
		"Too many to draw one by one: the stronger the colour, the larger the share of nodes and time in use; zoom in for the jobs." : "A colour per job; colours repeat.");
	ctx.fillStyle = style("--idle");
	ctx.fillRect(LEFT, 0, w, h);
	const bar = (i) => {
		const x0 = LEFT + Math.max(0, (j.start[i] - view.from) / span * w);
		const x1 = LEFT + Math.min(w, ((j.end[i] === null ? s.last : j.end[i]) - view.from) / span * w);
		for (const [first, length] of runsOf(s, i)) {
			const width = Math.max(0.7, x1 - x0), high = Math.max(0.7, length / s.bits * h);
			ctx.fillRect(x0, first / s.bits * h, width, high);
			if (width > 3 && high > 3) /* neighbours may have one colour */
				ctx.strokeRect(x0 + 0.5, first / s.bits * h + 0.5, width - 1, high - 1);
		}
	};
	ctx.strokeStyle = style("--back");
	ctx.lineWidth = 1;
	if (dense)
		drawDensity(ctx, s, seen, w, h);
	else
		for (const i of seen) {
			ctx.globalAlpha = moment.job !== null && i !== moment.job ? 0.3 : 1;
			ctx.fillStyle = colour(i);
			bar(i);
		}
	ctx.globalAlpha = 1;
	if (moment.job !== null && seen.includes(moment.job)) {
		ctx.fillStyle = style("--mark");
		bar(moment.job);
	}
	drawBarAxes(ctx, s, w, h);
	barsImage = document.createElement("canvas");
	barsImage.width = $("bars").width;
	barsImage.height = $("bars").height;
	barsImage.getContext("2d").drawImage($("bars"), 0, 0);
	drawMarker();
}

function drawBarAxes(ctx, s, w, h) {
	ctx.fillStyle = style("--soft");
	ctx.font = "11px system-ui, sans-serif";
	ctx.textBaseline = "middle";
	ctx.textAlign = "right";
	for (let k = 0; k <= 4; k++)
		ctx.fillText(Math.min(s.bits - 1, Math.round(s.bits * k / 4)), LEFT - 6, Math.max(6, Math.min(h - 6, h * k / 4)));
	for (const { value, label } of timeTicks(view.from, view.to, Math.max(2, Math.floor(w / 70)))) {
		const x = LEFT + (value - view.from) / (view.to - view.from) * w;
		ctx.fillRect(x, h, 1, 4);
		ctx.textAlign = x > LEFT + w - 30 ? "right" : x < LEFT + 30 ? "left" : "center";
		ctx.fillText(label, x, h + 13);
	}
}

/* The moment's line over the bars, without drawing them again. */
function drawMarker() {
	const canvas = $("bars"), ctx = canvas.getContext("2d");
	if (!barsImage || !barsImage.width || barsImage.width !== canvas.width)
		return;
	ctx.save();
	ctx.setTransform(1, 0, 0, 1, 0, 0);
	ctx.drawImage(barsImage, 0, 0);
	ctx.restore();
	const w = canvas.parentElement.clientWidth - LEFT, x = LEFT + (moment.t - view.from) / (view.to - view.from) * w;
	if (x < LEFT || x > LEFT + w)
		return;
	ctx.strokeStyle = style("--mark");
	ctx.lineWidth = 1;
	ctx.beginPath();
	ctx.moveTo(x, 0);
	ctx.lineTo(x, BARS - BOTTOM);
	ctx.stroke();
}

function barEvents() {
	const canvas = $("bars");
	const timeOf = (e) => view.from + Math.max(0, e.offsetX - LEFT) / (canvas.parentElement.clientWidth - LEFT) * (view.to - view.from);
	const jobAt = (e) => {
		const s = current(), t = timeOf(e), node = Math.floor(e.offsetY / (BARS - BOTTOM) * s.bits);
		return running(s, t).find((i) => nodesOf(s, i).includes(node));
	};
	canvas.addEventListener("pointermove", (e) => {
		const job = e.offsetX < LEFT ? undefined : jobAt(e);
		tip(figures.nodes.tip, e, job === undefined ? "" : jobWords(current(), job));
	});
	canvas.addEventListener("click", (e) => {
		const job = jobAt(e);
		setMoment(timeOf(e));
		if (job !== undefined)
			follow(job);
	});
	draggable(canvas, (e) => Math.max(view.from, Math.min(view.to, timeOf(e))));
}

function play() {
	if (moment.timer) {
		clearInterval(moment.timer);
		moment.timer = null;
	} else {
		const step = (view.to - view.from) / 300;
		if (moment.t >= view.to || moment.t < view.from)
			setMoment(view.from);
		moment.timer = setInterval(() => {
			setMoment(moment.t + step);
			if (moment.t >= view.to || moment.t >= current().last)
				play();
		}, 60);
	}
	$("play").textContent = moment.timer ? "stop" : "play";
}

/* The nodes of the map and the jobs of the node chart, as tables. */
function cellRows() {
	const s = current(), rows = [];
	for (let bit = 0; bit < s.bits; bit++) {
		const job = picture.owner ? picture.owner[bit] : -1;
		rows.push([coordinates(s, bit), job < 0 ? "" : s.jobs.id[job], job < 0 ? "idle" : letter(job)]);
	}
	return [["node", "job", "letter"], rows];
}

function barRows() {
	const s = current(), j = s.jobs;
	return [["job", "user", "start", "end", "nodes", "region"], s.order
		.filter((i) => j.start[i] < view.to && (j.end[i] === null || j.end[i] > view.from))
		.map((i) => [j.id[i], user(s, i), moments(j.start[i]), moments(j.end[i]), j.granted[i], j.region[i]])];
}

function chooseSchedule(i) {
	moment.schedule = i;
	moment.job = null;
	moment.cursor = null;
	for (const id of ["which", "whichone"])
		$(id).value = i;
}

function scheduleControls() {
	for (const id of ["which", "whichone"]) {
		schedules.forEach((s, i) => $(id).add(new Option(s.label, i)));
		$(id).hidden = $("whose").hidden = schedules.length < 2;
		$(id).onchange = () => {
			chooseSchedule(Number($(id).value));
			for (const f of ["idle", "heat", "people", "waitgrid"])
				if (figures[f])
					redraw(f);
			if (hasMachine) {
				setMoment(moment.t);
				drawBars();
			}
			figureChanged();
		};
	}
}

function machineControls() {
	figure("map", { own: true, canvasId: "cells", draw: drawCells, rows: cellRows });
	figure("nodes", { own: true, canvasId: "bars", draw: drawBars, rows: barRows });
	Object.assign($("cells"), { tabIndex: 0, ariaLabel: "the machine's nodes by job; arrow keys move, Enter follows the job" });
	$("cells").setAttribute("role", "application");
	$("when").oninput = () => setMoment(Number($("when").value));
	$("back").onclick = () => setMoment(event(-1));
	$("forth").onclick = () => setMoment(event(1));
	$("play").onclick = play;
	cellEvents();
	barEvents();
}
