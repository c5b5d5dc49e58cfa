#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus metrics on a snapshot; its syntax, by promtool where that is installed; and
# the dashboard and alert rules of contribs/monitoring, whose queries must name metrics
# and labels that are there.
. "$(dirname "$0")/lib-golden.sh"
TZ=UTC
export TZ
monitoring=$(cd "${top_srcdir:-.}" && pwd)/contribs/monitoring

golden metrics storus metrics --snapshot cluster.snap --shape 2x2 --plan plan
golden json storus metrics --snapshot cluster.snap --json
golden labels storus metrics --snapshot labels.snap
# held: who waits is held back or depends; the reservation is on
held()
{
	sed -e 's/reason=\(Resources\|Priority\)/reason=JobHeldUser nodes=3/' \
		-e 's/start=1764020000/start=1763990000/' cluster.snap >"$golden_tmp/held.snap" &&
		storus metrics --snapshot "$golden_tmp/held.snap" | grep -v '^#'
}
golden held held
golden no-file storus metrics --snapshot cluster.snap -o /nowhere/torus.prom
golden wrong storus metrics --snapshot cluster.snap --shape 2xx

cd "$golden_dir" || exit 1
storus metrics --snapshot cluster.snap --shape 2x2 --plan plan >"$golden_tmp/metrics"

# a file that appears whole
whole()
{
	storus metrics --snapshot cluster.snap --shape 2x2 --plan plan \
		-o "$golden_tmp/out.prom" &&
		cmp "$golden_tmp/out.prom" "$golden_tmp/metrics" &&
		[ "$(find "$golden_tmp" -name 'out.prom*' | wc -l)" = 1 ]
}
whole >"$golden_tmp/said" 2>&1
tap_result $? "a file appears whole" "$(cat "$golden_tmp/said")"

# causes add up to what no job holds
adds_up()
{
	for snapshot in cluster.snap labels.snap "$golden_tmp/held.snap"; do
		storus metrics --snapshot "$snapshot" | awk '
			/^torus_idle_nodes/ { causes += $2 }
			/^torus_nodes.*state="(idle|reserved|out)"/ { nodes += $2 }
			END { print causes, nodes; exit !causes || causes != nodes }' || return 1
	done
}
adds_up >"$golden_tmp/said" 2>&1
tap_result $? "causes add up" "$(cat "$golden_tmp/said")"

# HELP and TYPE before each family, once; each line a sample
syntax()
{
	awk '
		/^# HELP torus_[a-z_]+ ./ { help = $3; if (seen[help]++) bad = 1; next }
		/^# TYPE torus_[a-z_]+ (gauge|counter)$/ { if ($3 != help) bad = 1; next }
		/^torus_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+$/ {
			name = $1; sub(/\{.*/, "", name); if (name != help) bad = 1; next
		}
		{ print "line " NR ": " $0; bad = 1 }
		END { exit bad }' "$golden_tmp/metrics"
}
tap_result "$(syntax >"$golden_tmp/said"; echo $?)" "the text is well formed" "$(cat "$golden_tmp/said")"

# promtool's own judgement: of the text, the alert rules, and the dashboard's queries
# as recording rules
fires() # ALERT SNAPSHOT EXPECTED: ten minutes of this machine, and what the alert then says
{
	cp "$monitoring/torus-alerts.yml" "$golden_tmp"
	storus metrics --snapshot "$2" | awk -v alert="$1" -v expected="$3" '
		BEGIN { print "rule_files: [torus-alerts.yml]\ntests:\n- interval: 1m\n  input_series:" }
		!/^#/ { n = $NF; sub(/ [^ ]*$/, ""); printf "  - series: \047%s\047\n    values: %s+0x20\n", $0, n }
		END { print "  alert_rule_test:\n  - eval_time: 10m\n    alertname: " alert "\n    exp_alerts: " expected }
	' >"$golden_tmp/fires.yml"
	promtool test rules "$golden_tmp/fires.yml"
}
links_fire()
{
	over="running jobs with a link that is down in their region: 1; storus explain JOB names the link"
	down="torus: links that are down: 2; storus link list names them"
	fires TorusLinkDown cluster.snap '[]' &&
		fires TorusJobOverDeadLink cluster.snap '[]' &&
		fires TorusLinkDown ../questions/links.snap "[{exp_labels: {severity: warning, state: down, torus: torus}, exp_annotations: {summary: '$down'}}]" &&
		fires TorusJobOverDeadLink ../questions/links.snap "[{exp_labels: {severity: warning, state: down}, exp_annotations: {summary: '$over'}}]"
}
queries_as_rules()
{
	jq -r '"groups:", "- name: dashboard", "  rules:", ([.panels[].targets[].expr] | to_entries[] |
		"  - {record: \"query\(.key)\", expr: \(.value | tojson)}")' \
		"$monitoring/torus-dashboard.json"
}
promtool_says()
{
	promtool check metrics <"$golden_tmp/metrics" >"$golden_tmp/said" 2>&1
	tap_result $? "promtool check metrics" "$(cat "$golden_tmp/said")"
	promtool check rules "$monitoring/torus-alerts.yml" >"$golden_tmp/said" 2>&1
	tap_result $? "promtool check rules" "$(cat "$golden_tmp/said")"
	queries_as_rules >"$golden_tmp/queries.yml" &&
		promtool check rules "$golden_tmp/queries.yml" >"$golden_tmp/said" 2>&1 &&
		grep -q "SUCCESS: $(grep -c record "$golden_tmp/queries.yml") rules" "$golden_tmp/said"
	tap_result $? "the dashboard's queries, by promtool" "$(cat "$golden_tmp/said")"
	links_fire >"$golden_tmp/said" 2>&1
	tap_result $? "the alerts of links, with and without a dead link" "$(cat "$golden_tmp/said")"
}
if command -v promtool >/dev/null && command -v jq >/dev/null; then
	promtool_says
else
	tap_skip "promtool's judgement" "promtool (package prometheus) or jq is not installed"
fi

# names of metrics, and of labels and their values, in queries; every metric has a
# query, but for those that are here
not_drawn="torus_jobs_running torus_jobs_pending_shaped torus_pending_wait_seconds torus_places
	torus_plan_queued_jobs torus_cycles_total torus_started_jobs_total torus_unfit_orders_total
	torus_cut_passes_total"
not_drawn=$(echo $not_drawn)
queries()
{
	{
		jq -r '.panels[].targets[].expr' "$monitoring/torus-dashboard.json"
		sed -n 's/^ *expr: //p' "$monitoring/torus-alerts.yml"
	} >"$golden_tmp/queries"
	[ "$(wc -l <"$golden_tmp/queries")" -gt 12 ] || return 1
	grep -o 'torus_[a-z_]*' "$golden_tmp/queries" | sort -u |
		while read -r name; do
			grep -q "^${name}[{ ]" "$golden_tmp/metrics" || echo "no $name"
		done
	sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$golden_tmp/metrics" |
		while read -r name; do
			case " $not_drawn " in *" $name "*) continue ;; esac
			grep -q "$name" "$golden_tmp/queries" || echo "no query of $name"
		done
	grep -o '[a-z_]*="[a-z_]*"' "$golden_tmp/queries" | sort -u |
		while read -r label; do
			grep -qF "$label" "$golden_tmp/metrics" || echo "no $label"
		done
	jq -r '.panels[].targets[].legendFormat' "$monitoring/torus-dashboard.json" |
		grep -o '{{[a-z]*}}' | tr -d '{}' | sort -u |
		while read -r label; do
			grep -q "[{,]${label}=" "$golden_tmp/metrics" || echo "no label $label"
		done
}
if command -v jq >/dev/null; then
	queries >"$golden_tmp/said" && [ ! -s "$golden_tmp/said" ]
	tap_result $? "queries name what is there" "$(cat "$golden_tmp/said")"
fi
golden_done
