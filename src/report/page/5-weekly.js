/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section of storus weekly: the last seven days against the seven before.
 * The first schedule is what the cluster did, the second the replay of the site's
 * own policy, from which the causes are; jobs belong to the week in which they
 * were submitted.
 */
const WEEK = 7 * 86400;

/* The jobs of a schedule that were submitted from..to, and started. */
function submittedIn(s, from, to) {
	const list = [];
	for (let i = 0; i < s.n; i++)
		if (s.jobs.submit[i] >= from && s.jobs.submit[i] < to && s.jobs.start[i] !== null)
			list.push(i);
	return list;
}
const sortedOf = (s, list, f) => list.map((i) => f(s.jobs, i)).filter((v) => v !== null).sort((a, b) => a - b);

/* Idle node hours by cause in from..to; a slice that lies across an end counts
 * by its share. */
function idleHours(s, key, from, to) {
	const series = idleSeries(s);
	let sum = 0;
	for (let k = 0; series && k < series.n; k++) {
		const overlap = Math.min(to, series.at(k) + series.step) - Math.max(from, series.at(k));
		sum += overlap > 0 ? series.node(key, k) * overlap / 3600 : 0;
	}
	return sum;
}

/* Of a week that the trace does not know from its begin on: the known part. */
function weekColumn(from, to) {
	if (origin >= to)
		return weekRows.map(() => "\u2013");
	from = Math.max(from, origin);
	const live = schedules[0], replay = schedules[1], list = submittedIn(live, from, to), j = live.jobs;
	const wait = sortedOf(live, list, waitOf), slow = sortedOf(live, list, slowdownOf);
	const [use] = meanOf(live.use, after(live.use.time, from) - 1, from, to);
	const work = list.reduce((n, i) => n + j.requested[i] * (j.end[i] - j.start[i]), 0);
	return [number(list.length, 0), number(new Set(list.map((i) => user(live, i))).size, 0), percent(use / live.size),
		percent(work / (to - from) / live.size), time(quantile(wait, 0.5)), time(quantile(wait, 0.9)), time(quantile(wait, 0.99)),
		number(quantile(slow, 0.5), 2), number(quantile(slow, 0.9), 2)]
		.concat(causes.map(([key]) => number(idleHours(replay, key, from, to), 1)));
}

const weekRows = ["jobs that started", "users", "nodes in use", "offered load", "wait, median", "wait, 90 %", "wait, 99 %",
	"slowdown, median", "slowdown, 90 %"].concat(causes.map((c) => "idle node hours: " + c[1]));

/* What kept a job, from the machine's state while it waited. */
function whyWaited(from, to) {
	const s = schedules[1], nodes = (to - from) / 3600 * s.size, shares = causes.map(([key, title]) => [title, idleHours(s, key, from, to) / nodes]);
	const busy = Math.max(0, 1 - shares.reduce((n, x) => n + x[1], 0));
	return [["busy", busy]].concat(shares).filter((x) => x[1] >= 0.005).sort((a, b) => b[1] - a[1])
		.map(([title, v]) => percent(v, 0) + " " + title).join(", ");
}

function weekTable(box, title, head, rows) {
	element(box, "h3", {}, title);
	const t = element(element(box, "div", { class: "scroll", tabindex: "0" }), "table", { id: "week-" + title.split(" ")[0].toLowerCase() });
	table(t, head, rows);
	return t;
}

function waitedByUser(list) {
	const live = schedules[0], users = new Map();
	for (const i of list) {
		const name = user(live, i) || "\u2013";
		users.set(name, (users.get(name) || []).concat(i));
	}
	return Array.from(users, ([name, jobs]) => {
		const wait = sortedOf(live, jobs, waitOf), sum = wait.reduce((a, b) => a + b, 0);
		return { sum, row: [name, number(jobs.length, 0), duration(sum), duration(quantile(wait, 0.5)), duration(wait[wait.length - 1])] };
	}).sort((a, b) => b.sum - a.sum).slice(0, 10).map((x) => x.row);
}

/* Weeks of the year before the end, the last one first: those that the trace has jobs of. */
function weekTrend(to) {
	const s = schedules[0], first = Math.max(origin, to - 53 * WEEK), weeks = [];
	for (let end = to; end > first && weeks.length < 53; end -= WEEK) {
		const from = Math.max(end - WEEK, origin), list = submittedIn(s, from, end), wait = sortedOf(s, list, waitOf);
		const [use] = meanOf(s.use, after(s.use.time, from) - 1, from, end);
		weeks.push({ end, jobs: list.length, use: use / s.size, p50: quantile(wait, 0.5), p90: quantile(wait, 0.9) });
	}
	return weeks.reverse();
}

function trendFigure(section, to) {
	const weeks = weekTrend(to);
	if (weeks.length < 3)
		return;
	element(section, "figure", { id: "trend", "data-title": "Weeks: 90 % of waits up to, and nodes in use" });
	const set = (label, key, k, axis) => ({ label, data: weeks.map((w) => ({ x: w.end, y: w[key] })), borderColor: lines()[k], borderDash: dashes[k], backgroundColor: lines()[k], borderWidth: 1.5, pointRadius: 2, yAxisID: axis });
	figure("trend", {
		rows: () => [["week to", "jobs", "nodes in use, %", "wait, median, s", "wait, 90 %, s"], weeks.map((w) => [moments(w.end), w.jobs, w.use * 100, w.p50, w.p90])],
		draw: () => {
			const o = options({ time: [weeks[0].end, to], yDuration: true,
				tooltip: { callbacks: { title: (items) => "week to " + moments(items[0].parsed.x), label: (item) => item.dataset.label + ": " + (item.dataset.yAxisID === "y" ? duration(item.parsed.y) : percent(item.parsed.y)) } } });
			o.scales.share = Object.assign({}, o.scales.y, { position: "right", min: 0, max: 1, grid: { display: false }, afterBuildTicks: undefined, ticks: Object.assign({}, o.scales.y.ticks, { callback: (v) => percent(v, 0) }) });
			delete o.scales.share.afterBuildTicks;
			make("trend", { type: "line", data: { datasets: [set("wait, 90 %", "p90", 0, "y"), set("wait, median", "p50", 1, "y"), set("nodes in use", "use", 2, "share")] }, options: o });
		},
	});
}

/* What the tables do not have. */
function leftOut(from) {
	const skipped = schedules[1].summary.skipped_by_reason || {}, texts = [];
	const words = { unfinished: "still waiting or running", unreadable: "in lines that cannot be read", run: "without a run time", processors: "without nodes", partial: "cut" };
	const jobs = Object.keys(words).filter((k) => skipped[k]).map((k) => number(skipped[k], 0) + " " + words[k]);
	if (jobs.length)
		texts.push("Jobs of the trace that are not in these tables: " + jobs.join(", ") + ".");
	if (origin > from)
		texts.push("The trace begins at " + moments(origin) + ": this week is incomplete, and there is no week before it.");
	else if (origin > from - WEEK)
		texts.push("The trace begins at " + moments(origin) + ": of the week before, " + number((from - origin) / 86400, 1) + " days are known.");
	return texts.join(" ");
}

/* What of a job is known to be the same: places only of those with a region. */
function comparedIn(p) {
	if (!p.regions)
		return "in time; the trace does not tell their places";
	return "in time and place" + (p.without_region ? ", if the trace tells the place (" + number(p.regions, 0) + " jobs)" : "");
}

function reproduced(p) {
	if (!p || !p.compared)
		return "How much of it a replay reproduces is not known: the trace has no job to compare.";
	return "A replay of the site's policy (" + data.weekly.site + ") starts " + percent(1 - p.starts_differ / p.compared) + " of " +
		number(p.compared, 0) + " jobs when the cluster did, within 2 s; " + percent(p.known_same / p.compared) +
		" are known to be the same, " + comparedIn(p) + ". Read what other policies would have given with that in mind.";
}

function weekPolicy(s, from, to) {
	const jobs = submittedIn(s, from, to), wait = sortedOf(s, jobs, waitOf), time = (q) => wait.length ? duration(quantile(wait, q)) : "\u2013";
	return [s.label, number(jobs.length, 0), time(0.5), time(0.9), time(0.99), number(quantile(sortedOf(s, jobs, slowdownOf), 0.9), 2)];
}

function drawWeekly() {
	const section = $("weekly"), to = data.weekly.until, from = to - WEEK, live = schedules[0], j = live.jobs;
	const list = submittedIn(live, from, to), now = weekColumn(from, to), before = weekColumn(from - WEEK, from);
	element(section, "h2", {}, "The week to " + moments(to));
	element(section, "p", { id: "reproduced" }, reproduced(data.weekly.parity));
	if (leftOut(from))
		element(section, "p", { id: "leftout" }, leftOut(from));
	const grid = element(section, "div", { class: "pair" }), right = document.createElement("div");
	weekTable(element(grid, "div"), "Weeks", ["", "this week", "the week before"], weekRows.map((title, k) => [title, now[k], before[k]]));
	grid.append(right);
	weekTable(right, "Who waited", ["user", "jobs", "wait in all", "median", "longest"], waitedByUser(list));
	weekTable(right, "Policies this week", ["", "jobs", "wait, median", "90\u00a0%", "99\u00a0%", "slowdown, 90\u00a0%"], schedules.map((s) => weekPolicy(s, from, to)));
	const longest = list.slice().sort((a, b) => waitOf(j, b) - waitOf(j, a)).slice(0, 10).filter((i) => waitOf(j, i) > 0);
	weekTable(section, "Longest waits", ["job", "user", "nodes", "submitted", "wait", "the nodes meanwhile, in the replay"],
		longest.map((i) => [j.id[i], user(live, i), number(j.requested[i], 0), moments(j.submit[i]), duration(waitOf(j, i)), whyWaited(j.submit[i], j.start[i])]))
		.classList.add("reason");
	trendFigure(section, to);
	element(section, "p", { class: "soft" }, "Idle nodes by cause are of the replay of the site's policy.");
}
