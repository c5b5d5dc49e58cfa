/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data: schedules with their jobs as columns, and what is worked out from
 * them once: steps of nodes in use and of jobs waiting, regions as nodes.
 */
"use strict";
const data = JSON.parse($("data").textContent);
const schedules = data.schedules;

/* A job's colour and letter: no two letters differ by case alone, none is 0 or
 * 1. 8 colours and 31 letters make 248 pairs. */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ2345679";
const colour = (job) => palette[job % palette.length];
const letter = (job) => letters[job % letters.length];

/* [time, value] steps out of [time, change] events. */
function steps(events) {
	events.sort((a, b) => a[0] - b[0]);
	const time = [], value = [];
	let sum = 0;
	for (const [t, change] of events) {
		sum += change;
		if (time.length && time[time.length - 1] === t)
			value[value.length - 1] = sum;
		else {
			time.push(t);
			value.push(sum);
		}
	}
	return { time: Float64Array.from(time), value: Float64Array.from(value) };
}

/* Worked out when first asked for: the page's first paint does not wait. */
function later(s, name, make) {
	Object.defineProperty(s, name, { configurable: true, get() {
		const value = make();
		Object.defineProperty(s, name, { value });
		return value;
	} });
}

function useSteps(j, n) {
	const use = [];
	for (let i = 0; i < n; i++) {
		if (j.start[i] === null)
			continue;
		use.push([j.start[i], j.requested[i]]);
		if (j.end[i] !== null)
			use.push([j.end[i], -j.requested[i]]);
	}
	return steps(use);
}

function queueSteps(j, n) {
	const queue = [];
	for (let i = 0; i < n; i++) {
		if (j.start[i] === null && j.state[i] === "rejected")
			continue;
		queue.push([j.submit[i], 1]);
		if (j.start[i] !== null)
			queue.push([j.start[i], -1]);
	}
	return steps(queue);
}

/* A schedule is called by its file, without the ending where that is enough. */
const shortName = (s) => s.name.replace(/\.csv(\.gz)?$/, "");

function prepare(s) {
	const j = s.jobs, n = j.id.length;
	s.n = n;
	s.label = schedules.some((other) => other !== s && shortName(other) === shortName(s)) ? s.name : shortName(s);
	s.origin = Infinity;
	s.last = -Infinity;
	for (let i = 0; i < n; i++) {
		s.origin = Math.min(s.origin, j.submit[i]);
		if (j.end[i] !== null)
			s.last = Math.max(s.last, j.end[i]);
	}
	if (!(s.last > s.origin))
		s.last = s.origin + 1;
	/* cells; some may have no node */
	s.bits = s.pods.reduce((n, p) => n + p.dims.reduce((a, b) => a * b, 1), 0);
	later(s, "use", () => useSteps(j, n));
	later(s, "queue", () => queueSteps(j, n));
	later(s, "size", () => s.nodes || Math.max(1, s.use.value.reduce((a, b) => Math.max(a, b), 0)));
	later(s, "order", () => Array.from({ length: n }, (_, i) => i).filter((i) => j.start[i] !== null)
		.sort((a, b) => j.start[a] - j.start[b]));
	/* where its jobs ran is known, of one of them at least */
	later(s, "placed", () => s.order.some((i) => j.region[i]));
	s.cells = new Map();
	return s;
}
schedules.forEach(prepare);
const origin = Math.min(...schedules.map((s) => s.origin));
const epochs = schedules.map((s) => s.epoch).filter((e) => e !== null && e !== undefined);
calendarSet(epochs.length === schedules.length ? epochs[0] : null, data.tz || "UTC", origin);
const last = Math.max(...schedules.map((s) => s.last));
const user = (s, i) => s.jobs.user ? s.users[s.jobs.user[i]] : "";
const ringOf = (s, i) => s.jobs.ring ? s.jobs.ring[i] : ""; /* where links may fail */
const partition = (s, i) => s.jobs.partition ? s.partitions[s.jobs.partition[i]] : "";
const hasMachine = schedules.some((s) => s.pods.length > 0);

/* The first index whose time is after t. */
function after(time, t) {
	let low = 0, high = time.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (time[middle] <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The nodes of a job, numbered through all pods. */
function nodesOf(s, job) {
	let nodes = s.cells.get(job);
	if (!nodes) {
		nodes = regionNodes(s, s.jobs.region[job]);
		if (s.cells.size > 20000)
			s.cells.clear();
		s.cells.set(job, nodes);
	}
	return nodes;
}

/* pod0:2,0,4+4x4x2/1x1x1, or pod0:{0-3,7}, with or without the name: regions in
 * vertices, of which a node may be several; nodes, of which a vertex may have
 * several. */
function regionNodes(s, text) {
	/* several regions: a comma before the next name */
	return text.includes("{") ? oneRegionNodes(s, text) :
		text.split(/,(?=[^,:+]*:)/).flatMap((one) => oneRegionNodes(s, one));
}

function oneRegionNodes(s, text) {
	const colon = text.indexOf(":");
	const pod = s.pods.find((p) => p.name === text.slice(0, Math.max(0, colon))) || s.pods[0];
	const rest = text.slice(colon + 1), nodes = [];
	if (!pod || !rest)
		return nodes;
	if (rest[0] === "{") {
		for (const part of rest.slice(1, -1).split(",")) {
			const [from, to] = part.split("-").map(Number);
			for (let i = from; i <= (to === undefined ? from : to); i++)
				nodes.push(pod.first + Math.floor(i / (pod.perVertex || 1)));
		}
		return nodes;
	}
	const [place, stride] = rest.split("/");
	const [base, extent] = place.split("+");
	const cells = (n, d) => Number(n) / (pod.unit ? pod.unit[d] : 1);
	const b = base.split(",").map(cells), e = extent.split("x").map(cells);
	const st = stride ? stride.split("x").map(Number) : e.map(() => 1);
	const volume = e.reduce((x, y) => x * y, 1);
	for (let i = 0; i < volume; i++) {
		let rest2 = i, index = 0, step = 1;
		for (let d = 0; d < e.length; d++) {
			const c = (b[d] + (rest2 % e[d]) * st[d]) % pod.dims[d];
			rest2 = Math.floor(rest2 / e[d]);
			index += c * step;
			step *= pod.dims[d];
		}
		nodes.push(pod.first + index);
	}
	return nodes;
}

/* Jobs that run at time t. */
function running(s, t) {
	const j = s.jobs, found = [];
	for (const i of s.order) {
		if (j.start[i] > t)
			break;
		if (j.end[i] === null || j.end[i] > t)
			found.push(i);
	}
	return found;
}

const waitOf = (j, i) => j.start[i] === null ? null : j.start[i] - j.submit[i];
function slowdownOf(j, i) {
	if (j.start[i] === null || j.end[i] === null)
		return null;
	const run = j.end[i] - j.start[i];
	return Math.max(1, (j.end[i] - j.submit[i]) / Math.max(run, 10));
}
