/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data: schedules with their jobs as columns, and what is worked out from
 * them once: steps of nodes in use and of jobs waiting, regions as nodes.
 */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const schedules = data.schedules;
const $ = (id) => document.getElementById(id);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Okabe and Ito's colours, which the colour-blind tell apart; letters and
 * borders say the rest. */
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
	"#d55e00", "#f0e442", "#8c8c8c"];
const onDark = ["#56b4e9", "#e69f00", "#2fc79b", "#e6a3c7", "#f0e442", "#ff8a4c"];
const onLight = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07a00", "#56b4e9"];
const lines = () => matchMedia("(prefers-color-scheme: dark)").matches ? onDark : onLight;
const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 2], [8, 2]];
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const colour = (job) => palette[job % palette.length];
const letter = (job) => letters[job % letters.length];
const dark = (hex) => {
	const n = parseInt(hex.slice(1), 16);
	return 0.3 * (n >> 16) + 0.6 * (n >> 8 & 255) + 0.1 * (n & 255) < 140;
};

function number(value, digits) {
	if (value === null || value === undefined)
		return "\u2013";
	return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/* Seconds as "3 d 04:05:06" or "04:05:06". */
function clock(seconds) {
	const s = Math.floor(Math.abs(seconds)), two = (n) => String(n).padStart(2, "0");
	const day = Math.floor(s / 86400);
	return (seconds < 0 ? "-" : "") + (day ? day + " d " : "") +
		two(Math.floor(s / 3600) % 24) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
}

/* The same, in few characters, for axes over a span. */
function shortClock(seconds, span) {
	if (span > 4 * 86400)
		return number(seconds / 86400, span > 40 * 86400 ? 0 : 1) + " d";
	if (span > 4 * 3600)
		return number(seconds / 3600, 1) + " h";
	return span > 600 ? number(seconds / 60, 1) + " min" : number(seconds, 2) + " s";
}

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

function prepare(s) {
	const j = s.jobs, n = j.id.length, use = [], queue = [];
	s.n = n;
	s.origin = Infinity;
	s.last = -Infinity;
	for (let i = 0; i < n; i++) {
		s.origin = Math.min(s.origin, j.submit[i]);
		if (j.end[i] !== null)
			s.last = Math.max(s.last, j.end[i]);
		queue.push([j.submit[i], 1]);
		if (j.start[i] === null) {
			if (j.state[i] === "rejected")
				queue.pop();
			continue;
		}
		queue.push([j.start[i], -1]);
		use.push([j.start[i], j.requested[i]]);
		if (j.end[i] !== null)
			use.push([j.end[i], -j.requested[i]]);
	}
	if (!(s.last > s.origin))
		s.last = s.origin + 1;
	/* cells; some may have no node */
	s.bits = s.pods.reduce((n, p) => n + p.dims.reduce((a, b) => a * b, 1), 0);
	s.use = steps(use);
	s.queue = steps(queue);
	s.size = s.nodes || Math.max(1, s.use.value.reduce((a, b) => Math.max(a, b), 0));
	s.order = Array.from({ length: n }, (_, i) => i).filter((i) => j.start[i] !== null)
		.sort((a, b) => j.start[a] - j.start[b]);
	s.cells = new Map();
	return s;
}
schedules.forEach(prepare);
const origin = Math.min(...schedules.map((s) => s.origin));
const last = Math.max(...schedules.map((s) => s.last));
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

/* pod0:2,0,4+4x4x2/1x1x1, or pod0:{0-3,7}, with or without the name. */
function regionNodes(s, text) {
	const colon = text.indexOf(":");
	const pod = s.pods.find((p) => p.name === text.slice(0, Math.max(0, colon))) || s.pods[0];
	const rest = text.slice(colon + 1), nodes = [];
	if (!pod || !rest)
		return nodes;
	if (rest[0] === "{") {
		for (const part of rest.slice(1, -1).split(",")) {
			const [from, to] = part.split("-").map(Number);
			for (let i = from; i <= (to === undefined ? from : to); i++)
				nodes.push(pod.first + i);
		}
		return nodes;
	}
	const [place, stride] = rest.split("/");
	const [base, extent] = place.split("+");
	const b = base.split(",").map(Number), e = extent.split("x").map(Number);
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
