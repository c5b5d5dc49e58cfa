/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as Prometheus text, and as JSON (metrics.h). */
#include "storus/operate/metrics.h"

void metrics_family(struct metrics *m, const char *name, const char *type,
		    const char *help)
{
	m->lacking = m->lacking ||
		     torus_text_add(&m->text,
				    "# HELP torus_%s %s\n# TYPE torus_%s %s\n",
				    name, help, name, type);
}

/* A label's value, escaped as the exposition format wants. */
static void metrics_label(struct metrics *m, const char *key, const char *value,
			  const char *lead)
{
	m->lacking = m->lacking ||
		     torus_text_add(&m->text, "%s%s=\"", lead, key);
	for (; *value && !m->lacking; value++)
		m->lacking = *value == '\n' ?
				     torus_text_add(&m->text, "\\n") :
			     *value == '"' || *value == '\\' ?
				     torus_text_add(&m->text, "\\%c", *value) :
				     torus_text_add(&m->text, "%c", *value);
	m->lacking = m->lacking || torus_text_add(&m->text, "\"");
}

void metrics_put(struct metrics *m, const char *name,
		 const struct metrics_labels *l, double value)
{
	json_t *labels = m->list ? json_object() : NULL;

	m->lacking = m->lacking || torus_text_add(&m->text, "torus_%s", name);
	for (int i = 0; l && i < 2 && l->key[i]; i++) {
		metrics_label(m, l->key[i], l->value[i], i ? "," : "{");
		if (labels)
			json_object_set_new(labels, l->key[i],
					    json_string(l->value[i]));
	}
	m->lacking = m->lacking || torus_text_add(&m->text, "%s %.15g\n",
						  l ? "}" : "", value);
	if (m->list)
		json_array_append_new(m->list,
				      json_pack("{s:s, s:o, s:f}", "name", name,
						"labels", labels, "value",
						value));
}

void metrics_of(struct metrics *m, const char *name, const char *key,
		const char *label, double value)
{
	metrics_put(m, name,
		    &(struct metrics_labels){ { key, NULL }, { label, NULL } },
		    value);
}
