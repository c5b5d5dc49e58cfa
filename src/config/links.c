/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of a configuration (torus/config.h). Each links file is read once,
 * even if several toruses name it. It may have links of every torus whose
 * strategies avoid dead links.
 */
#include <errno.h>
#include <string.h>

#include "config/file.h"
#include "config/link_file.h"
#include "config/reader.h"
#include "torus/alloc.h"

void torus_config_allow_links(struct torus_config *config)
{
	struct torus_machine *m = &config->machine;

	for (uint32_t p = 0; p < m->pods; p++) {
		if (!m->pod[p].outside)
			torus_machine_links(m, p, NULL);
	}
}

int torus_config_fail_links(struct torus_config *config, struct torus_error *err)
{
	struct torus_machine *m = &config->machine;

	torus_config_allow_links(config);
	for (uint32_t p = 0; p < m->pods; p++) {
		if (m->pod[p].links)
			return 0;
	}
	return torus_machine_links(m, 0, err);
}

static int links_read_file(const struct torus_config *config, const char *path,
			   struct torus_link_list *list, struct torus_error *err)
{
	size_t length;
	char *text = torus_file_text(path, &length, err);
	int rc;

	if (!text)
		return -1;
	rc = torus_link_file_parse(&config->machine, path, text, length, list,
				   err);
	torus_free(text);
	return rc;
}

/* Return true if an earlier torus names the same file. */
static bool links_file_is_read(const struct torus_config *config, uint32_t pod)
{
	for (uint32_t p = 0; p < pod; p++) {
		if (config->links[p] &&
		    strcmp(config->links[p], config->links[pod]) == 0)
			return true;
	}
	return false;
}

int torus_config_read_links(const struct torus_config *config,
			    struct torus_link_list *list,
			    struct torus_error *err)
{
	struct torus_link_list sum = { 0 };
	int rc = 0, saved = 0;

	for (uint32_t p = 0; p < config->machine.pods; p++) {
		if (!config->links[p] || links_file_is_read(config, p))
			continue;
		if (links_read_file(config, config->links[p], &sum, err)) {
			saved = errno;
			rc = -1;
		}
	}
	if (rc) {
		torus_link_list_free(&sum);
		errno = saved;
		return -1;
	}
	torus_link_list_free(list);
	*list = sum;
	return 0;
}

int torus_config_link_file(struct torus_config *config, const char *path,
			   struct torus_error *err)
{
	struct torus_link_list list = { 0 };

	torus_config_allow_links(config);
	if (links_read_file(config, path, &list, err)) {
		torus_link_list_free(&list);
		return -1;
	}
	torus_link_list_free(&config->machine.links);
	config->machine.links = list;
	return 0;
}
