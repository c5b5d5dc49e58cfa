/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs by id, user, partition or reason; and the view as part of the address,
 * so that a link shows what its sender saw. */
const MOST_FOUND = 25;

function found(s, text) {
	const words = text.toLowerCase().split(/\s+/).filter((w) => w), j = s.jobs, list = [];
	if (!words.length)
		return list;
	for (let i = 0; i < s.n && list.length <= MOST_FOUND; i++) {
		const fields = [j.id[i], user(s, i), partition(s, i), j.state[i], j.reason[i]].map((f) => (f || "").toLowerCase());
		if (words.every((w) => fields[0] === w || fields.slice(1, 4).includes(w) || w.length > 2 && fields.some((f) => f.includes(w))))
			list.push(i);
	}
	return list;
}

function drawFound() {
	const s = current(), j = s.jobs, list = found(s, $("query").value), more = list.length > MOST_FOUND;
	const rows = list.slice(0, MOST_FOUND).map((i) => [j.id[i], user(s, i), partition(s, i), number(j.requested[i], 0),
		moments(j.submit[i]), moments(j.start[i]), moments(j.end[i]), time(waitOf(j, i)), j.state[i], j.region[i], ringOf(s, i), j.reason[i]]);
	const head = ["job", "user", "partition", "nodes", "submitted", "started", "ended", "wait", "state", "region", "rings", "reason"];
	const shown = head.map((_, c) => c === 0 || rows.some((r) => r[c]));
	table($("results"), rows.length ? head.filter((_, c) => shown[c]) : [], rows.map((r) => r.filter((_, c) => shown[c])));
	$("hits").textContent = !$("query").value.trim() ? "" : !rows.length ? "No such job." :
		(more ? "The first " + MOST_FOUND + " jobs" : rows.length === 1 ? "1 job" : rows.length + " jobs") + (hasMachine ? "; choose one to see it on the machine." : ".");
	Array.from($("results").tBodies[0].rows).forEach((tr, k) => {
		const id = tr.cells[0], i = list[k];
		if (!hasMachine || j.start[i] === null)
			return;
		const b = button(id.textContent, "show job " + id.textContent + " on the machine", () => {
			setMoment(j.start[i]);
			follow(i);
			$("machine").scrollIntoView();
		});
		id.textContent = "";
		id.append(b);
	});
}

/* The view: #from=..&to=..&at=..&schedule=..&job=..&by=..&log=.. */
function viewText() {
	const p = new URLSearchParams();
	if (Math.abs(view.from - view.first.from) > 0.001 || Math.abs(view.to - view.first.to) > 0.001) {
		p.set("from", view.from);
		p.set("to", view.to);
	}
	if (hasMachine)
		p.set("at", moment.t);
	if (moment.schedule)
		p.set("schedule", moment.schedule);
	if (moment.job !== null)
		p.set("job", current().jobs.id[moment.job]);
	if (groupBy.kind !== "size")
		p.set("by", groupBy.kind);
	if (groupBy.statistic !== "mean")
		p.set("statistic", groupBy.statistic);
	if (heat.kind !== "jobs")
		p.set("heat", heat.kind);
	if ($("query").value)
		p.set("query", $("query").value);
	for (const f of Object.values(figures))
		if (f.log !== undefined && f.log !== f.logFirst)
			p.append(f.log ? "log" : "linear", f.id);
	return p;
}

/* Take over the address, before anything is drawn. */
function viewLoad() {
	const p = addressRead();
	if (!p)
		return;
	const seconds = (key) => p.has(key) && isFinite(p.get(key)) ? Number(p.get(key)) : null;
	const n = Number(p.get("schedule"));
	if (schedules[n])
		chooseSchedule(n);
	const job = p.has("job") ? current().jobs.id.indexOf(p.get("job")) : -1;
	moment.job = job >= 0 ? job : null;
	if (seconds("at") !== null)
		moment.t = seconds("at");
	if (seconds("from") !== null && seconds("to") > seconds("from")) {
		view.from = seconds("from");
		view.to = seconds("to");
	}
	if (groupKinds.includes(p.get("by")))
		groupBy.kind = p.get("by");
	if (statistics[p.get("statistic")])
		groupBy.statistic = p.get("statistic");
	if (heat.kinds[p.get("heat")])
		heat.kind = p.get("heat");
	$("query").value = p.get("query") || "";
	for (const [key, on] of [["log", true], ["linear", false]])
		for (const id of p.getAll(key))
			if (figures[id] && figures[id].logButton) {
				figures[id].log = on;
				figures[id].logButton.setAttribute("aria-pressed", on);
			}
	$("groupby").value = groupBy.kind;
	$("statistic").value = groupBy.statistic;
	$("heatkind").value = heat.kind;
}

function searchControls() {
	$("query").oninput = () => {
		drawFound();
		addressSave();
	};
	for (const f of Object.values(figures))
		f.logFirst = f.log;
	addressWatch(viewText);
}
