/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data: schedules with their jobs as columns, and what is worked out from
 * them once: steps of nodes in use and of jobs waiting, regions as nodes.
 */
"use strict";
const data = pageData();
const schedules = data.schedules;

/* A job's colour and letter: no two letters differ by case alone, none is 0 or
 * 1. 8 colours and 31 letters make 248 pairs. */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ2345679";
const colour = (job) => palette[job % palette.length];
const letter = (job) => letters[job % letters.length];

/* Jobs in the order of time[i], without those that have none. */
function orderBy(time) {
	const known = new Uint32Array(time.length);
	let n = 0;
	for (let i = 0; i < time.length; i++)
		if (time[i] !== null)
			known[n++] = i;
	return known.subarray(0, n).sort((a, b) => time[a] - time[b]);
}

/* Steps of a sum: what begins adds its value, what ends takes it away. */
function steps(begin, begins, end, ends, value) {
	const time = new Float64Array(begins.length + ends.length), sums = new Float64Array(time.length);
	let n = 0, sum = 0;
	for (let i = 0, k = 0; i < begins.length || k < ends.length;) {
		const adds = k === ends.length || i < begins.length && begin[begins[i]] <= end[ends[k]];
		const t = adds ? begin[begins[i]] : end[ends[k]];
		sum += adds ? value(begins[i++]) : -value(ends[k++]);
		if (!n || time[n - 1] !== t)
			time[n++] = t;
		sums[n - 1] = sum;
	}
	return { time: time.subarray(0, n), value: sums.subarray(0, n) };
}

/* Worked out when first asked for: the page's first paint does not wait. */
function later(s, name, make) {
	Object.defineProperty(s, name, { configurable: true, get() {
		const value = make();
		Object.defineProperty(s, name, { value });
		return value;
	} });
}

const useSteps = (s, j) => steps(j.start, s.started, j.end, orderBy(j.end), (i) => j.requested[i]);
const queueSteps = (s, j) => steps(j.submit, orderBy(j.submit).filter((i) => j.start[i] !== null || j.state[i] !== "rejected"),
	j.start, s.started, () => 1);

/* A schedule is called by its file, without the ending where that is enough. */
const shortName = (s) => s.name.replace(/\.csv(\.gz)?$/, "");

/* Columns as lists: words by their number, 0 for a column of the first schedule; starts
 * and ends from gaps, waits and runs, to the microsecond. */
function unpack(s) {
	const j = s.jobs, micro = (v) => Math.round(v * 1e6) / 1e6;
	for (const key of Object.keys(j)) {
		if (j[key] === 0)
			j[key] = schedules[0].jobs[key];
		else if (j[key].words)
			j[key] = j[key].at.map((k) => j[key].words[k]);
	}
	let sum = 0;
	j.submit = j.gap.map((g) => (sum += Math.round(g * 1e6)) / 1e6);
	j.start = j.wait.map((w, i) => w === null ? null : micro(j.submit[i] + w));
	j.end = j.run.map((r, i) => r === null ? null : micro(j.start[i] + r));
}

function prepare(s) {
	unpack(s);
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
	later(s, "started", () => orderBy(j.start));
	later(s, "use", () => useSteps(s, j));
	later(s, "queue", () => queueSteps(s, j));
	later(s, "size", () => s.nodes || Math.max(1, s.use.value.reduce((a, b) => Math.max(a, b), 0)));
	later(s, "order", () => Array.from(s.started));
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
const account = (s, i) => s.jobs.account ? s.accounts[s.jobs.account[i]] : "";
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
	const region = s.jobs.region[job];
	let nodes = s.cells.get(region);
	if (!nodes) {
		nodes = regionNodes(s, region);
		if (s.cells.size > 20000)
			s.cells.clear();
		s.cells.set(region, nodes);
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
