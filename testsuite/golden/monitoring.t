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
}
if command -v promtool >/dev/null && command -v jq >/dev/null; then
	promtool_says
else
	tap_skip "promtool's judgement" "promtool (package prometheus) or jq is not installed"
fi

# names of metrics, and of labels and their values, in queries
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
