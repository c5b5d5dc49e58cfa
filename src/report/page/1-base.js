/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every page shares, whatever its data are: colours, numbers,
 * the calendar, ticks, tables, and figures with CSV, PNG, a log switch and a
 * data table. It reads no data and adds nothing to the page by itself.
 */
"use strict";
const $ = (id) => document.getElementById(id);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Okabe and Ito's colours, which the colour-blind tell apart; letters and
 * borders say the rest. Paper is light, whatever the screen is. */
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
	"#d55e00", "#f0e442", "#8c8c8c"];
const onDark = ["#56b4e9", "#e69f00", "#2fc79b", "#e6a3c7", "#f0e442", "#ff8a4c", "#b7a6ff", "#ffffff", "#9be564", "#c79a6b"];
const onLight = ["#0072b2", "#d55e00", "#009e73", "#c0689a", "#b07a00", "#4d5660", "#6a3fc8", "#000000", "#4a7d00", "#7b3f00"];
const darkScreen = matchMedia("screen and (prefers-color-scheme: dark)");
const paper = { printing: false };
/* Charts are drawn for the screen and shrink to half a sheet: larger letters, and
 * higher charts, since a legend takes more lines. */
const letterSize = () => paper.printing ? 15 : 12;
const heightOf = (f) => f.height * (paper.printing ? 1.5 : 1) + "px";
const lines = () => darkScreen.matches && !paper.printing ? onDark : onLight;
const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 2], [14, 3], [4, 1], [10, 3, 2, 3, 2, 3], [3, 6], [20, 2, 1, 2]];
const dark = (hex) => {
	const n = parseInt(hex.slice(1), 16);
	return 0.3 * (n >> 16) + 0.6 * (n >> 8 & 255) + 0.1 * (n & 255) < 100; /* white letters on it have more contrast than black ones */
};

function number(value, digits) {
	if (value === null || value === undefined || Number.isNaN(value))
		return "\u2013";
	return value.toLocaleString("en", { maximumFractionDigits: digits });
}
const percent = (v, digits) => v === null || v === undefined ? "\u2013" : number(v * 100, digits === undefined ? 1 : digits) + " %";

/* A child of an HTML or SVG element. */
function element(parent, name, attributes, text) {
	const svg = parent.namespaceURI.endsWith("svg") || name === "svg";
	const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
	for (const key of Object.keys(attributes || {}))
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	parent.appendChild(e);
	return e;
}

const two = (n) => String(n).padStart(2, "0");

/* Seconds as "3 d 04:05:06" or "04:05:06". */
function clock(seconds) {
	if (seconds === null || seconds === undefined)
		return "\u2013";
	const s = Math.floor(Math.abs(seconds)), day = Math.floor(s / 86400);
	return (seconds < 0 ? "-" : "") + (day ? day + " d " : "") +
		two(Math.floor(s / 3600) % 24) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
}

/* The same in its largest unit: "90 s", "15 min", "6 h", "1.5 d". */
function duration(seconds) {
	const s = Math.abs(seconds);
	if (s < 120 && s % 60 !== 0 || s < 60)
		return number(seconds, s < 10 ? 1 : 0) + " s";
	if (s < 7200 && s % 3600 !== 0 || s < 3600)
		return number(seconds / 60, 0) + " min";
	return s < 86400 || s < 172800 && s % 86400 !== 0 ? number(seconds / 3600, 1) + " h" : number(seconds / 86400, 1) + " d";
}

/* Unpack deflated data (RFC 1951) of so many bytes. A code's bits come first bit first,
 * so a table of 15 bits has the symbol and its length for whatever follows. */
function inflate(input, size) {
	const out = new Uint8Array(size), order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
	let pos = 0, bits = 0, count = 0, at = 0;
	const need = (n) => {
		for (; count < n; count += 8)
			bits |= input[pos++] << count;
	};
	const take = (n) => {
		need(n);
		const v = bits & (1 << n) - 1;
		bits >>>= n;
		count -= n;
		return v;
	};
	const tableOf = (lengths) => {
		const t = new Uint16Array(32768);
		for (let n = 1, code = 0; n < 16; n++, code <<= 1) /* the codes of a length are consecutive */
			for (let s = 0; s < lengths.length; s++)
				if (lengths[s] === n) {
					let back = 0;
					for (let k = 0; k < n; k++)
						back |= (code >> k & 1) << n - 1 - k;
					for (let k = back; k < 32768; k += 1 << n)
						t[k] = s << 4 | n;
					code++;
				}
		return t;
	};
	const symbol = (t) => {
		need(15);
		const v = t[bits & 32767];
		bits >>>= v & 15;
		count -= v & 15;
		return v >> 4;
	};
	const dynamic = () => {
		const literals = take(5) + 257, distances = take(5) + 1, codes = take(4) + 4, lengths = new Array(19).fill(0), all = [];
		for (let k = 0; k < codes; k++)
			lengths[order[k]] = take(3);
		const t = tableOf(lengths);
		while (all.length < literals + distances) {
			const s = symbol(t), [what, times] = s < 16 ? [s, 1] : s === 16 ? [all[all.length - 1], take(2) + 3] : [0, s === 17 ? take(3) + 3 : take(7) + 11];
			for (let k = 0; k < times; k++)
				all.push(what);
		}
		return [tableOf(all.slice(0, literals)), tableOf(all.slice(literals))];
	};
	const fixedTables = () => [tableOf(Array.from({ length: 288 }, (_, s) => s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8)), tableOf(new Array(30).fill(5))];
	for (let final = 0; !final;) {
		final = take(1);
		const kind = take(2);
		if (kind === 0) {
			take(count & 7);
			let n = take(16);
			take(16);
			while (n--)
				out[at++] = take(8);
			continue;
		}
		const [letters, distances] = kind === 1 ? fixedTables() : dynamic();
		for (let s; (s = symbol(letters)) !== 256;) {
			if (s < 256) {
				out[at++] = s;
				continue;
			}
			const extra = s < 265 || s === 285 ? 0 : (s - 261) >> 2;
			const n = s === 285 ? 258 : s < 265 ? s - 254 : (4 + (s - 261 & 3) << extra) + 3 + take(extra);
			const d = symbol(distances), more = d < 4 ? 0 : (d >> 1) - 1;
			const back = d < 4 ? d + 1 : (2 + (d & 1) << more) + 1 + take(more);
			for (let k = 0; k < n; k++, at++)
				out[at] = out[at - back];
		}
	}
	return out;
}

/* The page's data: JSON, of a large page packed. */
function pageData() {
	const text = $("data").textContent;
	if (!$("data").dataset.size)
		return JSON.parse(text);
	const bytes = new Uint8Array(text.length / 5 * 4), four = new DataView(bytes.buffer);
	for (let i = 0; i < text.length; i += 5) {
		let v = 0;
		for (let k = 4; k >= 0; k--) {
			const c = text.charCodeAt(i + k);
			v = v * 85 + (c === 123 ? 60 : c) - 35; /* page.c: put_four() */
		}
		four.setUint32(i / 5 * 4, v, true);
	}
	return JSON.parse(new TextDecoder().decode(inflate(bytes, Number($("data").dataset.size))));
}

/* The value that a share q of the sorted ones do not exceed. */
const quantile = (sorted, q) => sorted.length ? sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] : null;

/*
 * The calendar. Times are seconds on the input's clock; epoch is what that
 * clock's 0 is in Unix time, or null: then times count from `origin`.
 */
const calendar = { epoch: null, zone: "UTC", origin: 0, format: null, offsets: new Map() };
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function calendarSet(epoch, zone, start) {
	Object.assign(calendar, { epoch, zone, origin: start, format: null });
	calendar.offsets.clear();
	const fixed = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
	if (fixed)
		calendar.fixed = (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 3600 + Number(fixed[3]) * 60);
	else if (zone === "UTC")
		calendar.fixed = 0;
	else {
		calendar.fixed = undefined;
		calendar.format = new Intl.DateTimeFormat("en", { timeZone: zone, hourCycle: "h23", year: "numeric",
			month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
	}
}

/* Seconds that local time is ahead of Unix time; it changes on full hours. */
function offsetAt(unix) {
	if (calendar.fixed !== undefined)
		return calendar.fixed;
	const hour = Math.floor(unix / 3600);
	let offset = calendar.offsets.get(hour);
	if (offset === undefined) {
		const p = {};
		for (const { type, value } of calendar.format.formatToParts(new Date(hour * 3600000)))
			p[type] = Number(value);
		offset = Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) / 1000 - hour * 3600;
		calendar.offsets.set(hour, offset);
	}
	return offset;
}

/* Local seconds of a time, to be read by the UTC functions of Date; without an
 * epoch the time since the origin. */
function local(t) {
	if (calendar.epoch === null)
		return t - calendar.origin;
	return t + calendar.epoch + offsetAt(t + calendar.epoch);
}
function fromLocal(seconds) {
	if (calendar.epoch === null)
		return seconds + calendar.origin;
	const unix = seconds - offsetAt(seconds);
	return seconds - offsetAt(unix) - calendar.epoch;
}

function moments(t) {
	if (t === null || t === undefined)
		return "\u2013";
	if (calendar.epoch === null)
		return clock(t - calendar.origin);
	return new Date(Math.floor(local(t)) * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/* 0 is Monday. */
const weekday = (seconds) => (Math.floor(seconds / 86400) + 3) % 7;

const timeSteps = [1, 5, 15, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 2 * 86400, 7 * 86400, 14 * 86400];
const monthSteps = [1, 3, 6, 12, 24, 60, 120];

function tickLabel(seconds, step) {
	if (calendar.epoch === null)
		return step >= 86400 ? number(seconds / 86400, 0) + " d" : step < 60 ? clock(seconds) : clock(seconds).replace(/:00$/, "");
	const d = new Date(seconds * 1000), day = d.getUTCDate() + " " + months[d.getUTCMonth()];
	if (seconds % 86400 === 0)
		return step <= 86400 ? weekdays[weekday(seconds)] + " " + day : day;
	return two(d.getUTCHours()) + ":" + two(d.getUTCMinutes()) + (step < 60 ? ":" + two(d.getUTCSeconds()) : "");
}

function monthTicks(from, to, most) {
	const a = new Date(local(from) * 1000), count = (to - from) / 86400 / 30.4;
	const step = monthSteps.find((k) => count / k <= most) || monthSteps[monthSteps.length - 1];
	const ticks = [];
	let m = Math.ceil((a.getUTCFullYear() * 12 + a.getUTCMonth()) / step) * step;
	for (;; m += step) {
		const t = fromLocal(Date.UTC(Math.floor(m / 12), m % 12, 1) / 1000);
		if (t > to)
			return ticks;
		if (t >= from)
			ticks.push({ value: t, label: (step < 12 ? months[m % 12] + " " : "") + Math.floor(m / 12) });
	}
}

/* Ticks of a span of time, at most so many: full minutes, hours, days, weeks
 * (Mondays), months. */
function timeTicks(from, to, most) {
	const span = to - from, days = [1, 2, 7, 14, 28, 91, 182, 364, 1820];
	let step = timeSteps.find((s) => span / s <= most);
	if (!step && calendar.epoch !== null)
		return monthTicks(from, to, most);
	if (!step)
		step = 86400 * (days.find((d) => span / 86400 / d <= most) || Math.ceil(span / 86400 / most));
	const shift = calendar.epoch !== null && step >= 7 * 86400 ? 4 * 86400 : 0; /* 1970-01-05 was a Monday */
	const ticks = [], first = Math.ceil((local(from) - shift) / step);
	for (let k = first; k - first <= most + 2; k++) {
		const seconds = k * step + shift, t = fromLocal(seconds);
		if (t > to)
			break;
		if (t >= from)
			ticks.push({ value: t, label: tickLabel(seconds, step) });
	}
	return ticks;
}

/* Ticks of an axis of durations: where a logarithm, 1 min, 1 h, 6 h, 1 d, 7 d
 * and what is around them. */
const decades = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000, 31536000];
function durationTicks(axis, log, most = 6) {
	if (log)
		return decades.filter((v) => v >= axis.min && v <= axis.max);
	const steps = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 259200, 604800, 1209600, 2592000, 7776000, 31536000];
	const step = steps.find((s) => axis.max / s <= most) || axis.max / most, ticks = [];
	for (let v = 0; v <= axis.max * 1.0001; v += step)
		ticks.push(v);
	return ticks;
}

/* Tables */

function row(table, cells, kind) {
	const tr = document.createElement("tr");
	cells.forEach((text, i) => {
		const td = document.createElement(kind || (i === 0 ? "th" : "td"));
		if (td.tagName === "TH")
			td.scope = kind ? "col" : "row";
		td.textContent = text;
		td.classList.toggle("date", /^\d{4}-\d\d-\d\d \d/.test(text));
		tr.appendChild(td);
	});
	table.appendChild(tr);
	return tr;
}

function table(into, head, rows) {
	into.textContent = "";
	const top = document.createElement("thead"), body = document.createElement("tbody");
	if (head.length)
		row(top, head, "th");
	rows.forEach((r) => row(body, r));
	into.append(top, body);
}

/*
 * Figures: <figure id="x" data-title="..."> gets its heading, buttons, canvas
 * and table. spec: draw(figure), rows() -> [head, rows] for CSV and the table,
 * log: initial state of the log switch (absent: there is none), height, own:
 * draws on the canvas itself (canvasId: its id) and has a tip.
 */
const figures = {}, charts = {};
let figureChanged = () => {};

function save(name, url) {
	const a = document.createElement("a");
	a.href = url;
	a.download = name;
	a.click();
}

function csvText([head, rows]) {
	const quote = (v) => v === null || v === undefined ? "" :
		/[",\n]/.test(String(v)) ? "\"" + String(v).replace(/"/g, "\"\"") + "\"" : String(v);
	return [head].concat(rows).map((r) => r.map(quote).join(",") + "\n").join("");
}

/* A picture of `width` x `height` pixels with its title above it, on the page's
 * background, as a data URL of PNG; k: pixels per CSS pixel. */
function pngOf(title, width, height, k, draw) {
	const out = document.createElement("canvas"), ctx = out.getContext("2d");
	out.width = Math.max(1, width);
	out.height = height + 32 * k;
	ctx.fillStyle = style("--back");
	ctx.fillRect(0, 0, out.width, out.height);
	ctx.fillStyle = style("--ink");
	ctx.font = "600 " + 15 * k + "px system-ui, sans-serif";
	ctx.fillText(title, 6 * k, 21 * k);
	if (width && height)
		draw(ctx, 32 * k);
	return out.toDataURL("image/png");
}

function canvasPng(title, from) {
	return pngOf(title, from.width, from.height, window.devicePixelRatio || 1, (ctx, top) => ctx.drawImage(from, 0, top));
}

/* A copy of an SVG element outside the page has none of the page's style sheets:
 * each of its elements gets the style it is shown with. */
function svgAlone(svg, width, height) {
	const copy = svg.cloneNode(true), from = svg.querySelectorAll("*");
	copy.querySelectorAll("*").forEach((e, i) => {
		const shown = getComputedStyle(from[i]);
		for (const key of ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "paint-order", "font"])
			e.style.setProperty(key, shown.getPropertyValue(key));
	});
	copy.removeAttribute("style");
	copy.setAttribute("width", width);
	copy.setAttribute("height", height);
	return new XMLSerializer().serializeToString(copy);
}

async function svgImage(svg, k) {
	const { width, height } = svg.viewBox.baseVal, image = new Image();
	await new Promise((done, failed) => {
		image.onload = done;
		image.onerror = failed;
		image.src = "data:image/svg+xml," + encodeURIComponent(svgAlone(svg, Math.round(width * k), Math.round(height * k)));
	});
	return image;
}

/* Twice the size of the drawing's own units, whatever the width of the page. keys:
 * elements with the drawing of a key and its text, put below the picture. */
async function svgPng(title, svg, keys = []) {
	const k = 2, picture = await svgImage(svg, k), line = 22 * k, places = [];
	const measure = document.createElement("canvas").getContext("2d"), font = 12 * k + "px system-ui, sans-serif";
	let x = 0, y = picture.height;
	measure.font = font;
	for (const key of keys) {
		const image = await svgImage(key.querySelector("svg"), k), text = key.textContent, width = image.width + measure.measureText(text).width + 24 * k;
		if (x && x + width > picture.width) {
			x = 0;
			y += line;
		}
		places.push({ image, text, x: x + 8 * k, y });
		x += width;
	}
	return pngOf(title, picture.width, keys.length ? y + line : y, k, (ctx, top) => {
		ctx.font = font;
		ctx.drawImage(picture, 0, top);
		for (const p of places) {
			ctx.drawImage(p.image, p.x, top + p.y);
			ctx.fillText(p.text, p.x + p.image.width + 6 * k, top + p.y + 11 * k);
		}
	});
}

function saveCsv(name, rows) {
	save(name + ".csv", URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" })));
}

/* The buttons CSV and PNG of a chart: rows() -> [head, rows], png() -> a data URL or
 * a promise of one. */
function saveButtons(name, title, rows, png) {
	return [button("CSV", title + ": save as CSV", () => saveCsv(name, rows())),
		button("PNG", title + ": save as picture", async () => save(name + ".png", await png()))];
}

function fillTable(figure) {
	const [head, rows] = figure.rows(), most = 1000;
	const shown = rows.slice(0, most).map((r) => r.map((v) => typeof v === "number" ? number(v, 4) : v === null ? "\u2013" : v));
	table(figure.table, head, shown);
	figure.more.textContent = rows.length > most ? "The first " + number(most, 0) + " of " + number(rows.length, 0) + " rows; CSV has all." : "";
}

function button(text, label, f) {
	const b = document.createElement("button");
	b.type = "button";
	b.textContent = text;
	b.setAttribute("aria-label", label);
	b.onclick = f;
	return b;
}

function figure(id, spec) {
	const box = $(id), f = Object.assign({ id, title: box.dataset.title, height: 220 }, spec);
	const top = document.createElement("figcaption"), h = document.createElement("h3"), tools = document.createElement("span");
	const holder = document.createElement("div"), details = document.createElement("details");
	const summary = document.createElement("summary"), scroll = document.createElement("div");
	f.canvas = document.createElement("canvas");
	f.table = document.createElement("table");
	f.more = document.createElement("p");
	f.box = box;
	h.textContent = f.title;
	tools.className = "tools";
	if (f.log !== undefined) {
		f.logButton = button("log", f.title + ": logarithmic scale", () => setLog(f, !f.log));
		f.logButton.setAttribute("aria-pressed", f.log);
		tools.append(f.logButton);
	}
	tools.append(...saveButtons(id, f.title, f.rows, () => canvasPng(f.title, f.canvas)));
	top.append(h, tools);
	holder.className = f.own ? "holder" : "chart";
	holder.style.height = f.own ? "" : heightOf(f);
	f.holder = holder;
	f.canvas.id = f.canvasId || id + "-canvas";
	f.canvas.setAttribute("role", "img");
	f.canvas.setAttribute("aria-label", f.title + "; the data are in the table below");
	holder.append(f.canvas);
	if (f.own) {
		f.canvas.className = "own";
		f.tip = document.createElement("div");
		f.tip.className = "tip";
		f.tip.hidden = true;
		holder.append(f.tip);
		f.canvas.addEventListener("pointerleave", () => { f.tip.hidden = true; });
	}
	summary.textContent = "data";
	summary.setAttribute("aria-label", "data of: " + f.title);
	scroll.className = "scroll";
	scroll.tabIndex = 0;
	f.more.className = "soft";
	scroll.append(f.table);
	details.append(summary, scroll, f.more);
	details.ontoggle = () => { if (details.open) fillTable(f); };
	f.details = details;
	box.append(top, holder, details);
	figures[id] = f;
	return f;
}

function setLog(f, on) {
	f.log = on;
	f.logButton.setAttribute("aria-pressed", on);
	f.draw(f);
	figureChanged();
}

/* What its data are has changed. */
function redraw(id) {
	const f = figures[id];
	f.draw(f);
	if (f.details.open)
		fillTable(f);
}

function make(id, config) {
	if (charts[id])
		charts[id].destroy();
	charts[id] = new Chart(figures[id].canvas, config);
}

/* Chart.js's options: x and y extend the scales; time: [from, to] makes x an
 * axis of time; xDuration, yDuration: of durations; absent: why there is nothing to see. */
function options(extra) {
	const grid = { color: style("--line") }, font = { size: letterSize() }, ticks = { color: style("--soft"), maxRotation: 0, font };
	const scale = (own, more, long) => Object.assign({ type: "linear", grid, ticks: Object.assign({}, ticks, more),
		title: { display: false, color: style("--soft"), font } }, long ? {
		afterBuildTicks: (axis) => { axis.ticks = durationTicks(axis, axis.type === "logarithmic").map((value) => ({ value })); },
	} : {}, own);
	const x = scale(extra.x, extra.xDuration ? Object.assign({ callback: duration }, extra.xticks) : extra.xticks, extra.xDuration);
	const y = scale(Object.assign({ beginAtZero: true }, extra.y),
		extra.yDuration ? Object.assign({ callback: duration }, extra.yticks) : extra.yticks, extra.yDuration);
	if (extra.time) {
		const [from, to] = extra.time, labels = new Map();
		Object.assign(x, { min: from, max: to, afterBuildTicks: (axis) => {
			const t = timeTicks(from, to, Math.max(2, Math.floor(axis.width / 70)));
			labels.clear();
			t.forEach((tick) => labels.set(tick.value, tick.label));
			axis.ticks = t.map(({ value }) => ({ value }));
		} });
		x.ticks.callback = (v) => labels.get(v);
		x.ticks.autoSkip = false;
	}
	if (!extra.y || !extra.y.ticksFree)
		y.afterFit = (axis) => { axis.width = Math.max(axis.width, 58); }; /* charts below each other share their times */
	return {
		animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
		interaction: { mode: "nearest", axis: "x", intersect: false },
		plugins: {
			legend: { display: extra.legend !== false, labels: { color: style("--ink"), font, boxWidth: 24, sort: (a, b) => a.datasetIndex - b.datasetIndex } },
			tooltip: extra.tooltip || {},
			title: { display: Boolean(extra.absent), text: extra.absent || "", color: style("--soft"), font: { weight: "normal" } },
		},
		scales: { x, y },
	};
}

/* A canvas at the screen's resolution; returns its context and width. */
function canvasFor(element, height) {
	const ratio = window.devicePixelRatio || 1, width = Math.max(1, element.parentElement.clientWidth);
	element.style.height = height + "px";
	element.width = Math.round(width * ratio);
	element.height = Math.max(1, Math.round(height * ratio));
	const ctx = element.getContext("2d");
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.clearRect(0, 0, width, height);
	return { ctx, width };
}

function tip(element, e, text) {
	element.hidden = !text;
	if (!text)
		return;
	element.textContent = text;
	const room = element.parentElement.clientWidth - element.offsetWidth - 4;
	element.style.left = Math.max(0, Math.min(room, e.offsetX + 14)) + "px";
	element.style.top = e.offsetY + 16 + "px";
}

/* On paper: shrink tables that are wider than a sheet of A4 or Letter. */
const sheet = 690; /* CSS pixels */
function fitTables(on) {
	for (const table of document.querySelectorAll(".scroll > table:not(.wrap)")) {
		table.style.width = on ? "min-content" : "";
		const width = table.offsetWidth;
		table.style.width = "";
		table.style.zoom = on && width > sheet ? sheet / width : "";
	}
}

/* Call draw() again when colours, paper or width change. */
function watchLook(draw) {
	let width = window.innerWidth;
	const print = (on) => () => {
		paper.printing = on;
		document.documentElement.classList.toggle("paper", on);
		fitTables(on);
		for (const f of Object.values(figures).filter((x) => !x.own))
			f.holder.style.height = heightOf(f);
		draw();
	};
	darkScreen.addEventListener("change", draw);
	window.addEventListener("beforeprint", print(true));
	window.addEventListener("afterprint", print(false));
	window.addEventListener("resize", () => {
		if (window.innerWidth !== width) {
			width = window.innerWidth;
			draw();
		}
	});
}

/*
 * The view as part of the address, so that a link shows what its sender saw.
 * address.text() -> the view as URLSearchParams; addressSave() after each change.
 */
const address = { timer: 0, own: "", text: () => "" };

function addressSave() {
	clearTimeout(address.timer);
	address.timer = setTimeout(() => {
		address.own = "#" + address.text();
		history.replaceState(null, "", address.own);
	}, 200);
}

/* What the address says of the view, null if nothing; anchors are left alone. */
function addressRead() {
	return location.hash.includes("=") ? new URLSearchParams(location.hash.slice(1)) : null;
}

function addressWatch(text) {
	address.text = text;
	/* anchors scroll; the address keeps the view */
	document.querySelectorAll("nav a").forEach((a) => a.addEventListener("click", (e) => {
		e.preventDefault();
		document.querySelector(a.getAttribute("href")).scrollIntoView();
	}));
	window.addEventListener("hashchange", () => {
		if (location.hash !== address.own && location.hash.includes("="))
			location.reload();
	});
}
