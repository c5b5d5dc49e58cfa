/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of node_state.h. O(rows). */
#include "format/node_state.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define ROWS(list) (sizeof(list) / sizeof((list)[0]))

/* The order matters: a drained node stays out whatever else happens to it, and a
 * node that boots or sleeps does not answer. */
static const struct node_state_row rows[] = {
	{ NODE_FLAG_FUTURE, NODE_OUT, "future" },
	{ NODE_FLAG_INVALID_REG, NODE_OUT, "invalid registration" },
	{ NODE_FLAG_DRAIN, NODE_OUT, "drained" },
	{ NODE_FLAG_FAIL, NODE_OUT, "failing" },
	{ NODE_FLAG_REBOOT_ISSUED, NODE_RETURNS, "rebooting" },
	{ NODE_FLAG_DOWN | NODE_FLAG_ERROR, NODE_OUT, "down" },
	{ NODE_FLAG_REBOOT_REQUESTED, NODE_RETURNS, "reboot requested" },
	{ NODE_FLAG_POWERING_DOWN, NODE_RETURNS, "powering down" },
	{ NODE_FLAG_POWER_DOWN, NODE_RETURNS, "power down requested" },
	{ NODE_FLAG_BLOCKED, NODE_RETURNS, "blocked" },
	{ NODE_FLAG_POWERING_UP, NODE_ON_DEMAND, "powering up" },
	{ NODE_FLAG_NOT_RESPONDING, NODE_SILENT, "not responding" },
	{ NODE_FLAG_UNKNOWN, NODE_SILENT, "not responding" },
	{ NODE_FLAG_POWERED_DOWN, NODE_ON_DEMAND, "powered down" },
	{ 0, NODE_USABLE, "" },
};

static const struct {
	const char *word;
	uint32_t flag;
} words[] = {
	{ "DOWN", NODE_FLAG_DOWN },
	{ "ERROR", NODE_FLAG_ERROR },
	{ "FUTURE", NODE_FLAG_FUTURE },
	{ "UNKNOWN", NODE_FLAG_UNKNOWN },
	{ "NOT_RESPONDING", NODE_FLAG_NOT_RESPONDING },
	{ "DRAIN", NODE_FLAG_DRAIN },
	{ "FAIL", NODE_FLAG_FAIL },
	{ "INVALID_REG", NODE_FLAG_INVALID_REG },
	{ "POWER_DOWN", NODE_FLAG_POWER_DOWN },
	{ "POWERING_DOWN", NODE_FLAG_POWERING_DOWN },
	{ "POWERED_DOWN", NODE_FLAG_POWERED_DOWN },
	{ "POWERING_UP", NODE_FLAG_POWERING_UP },
	{ "REBOOT_REQUESTED", NODE_FLAG_REBOOT_REQUESTED },
	{ "REBOOT_ISSUED", NODE_FLAG_REBOOT_ISSUED },
	{ "BLOCKED", NODE_FLAG_BLOCKED },
};

const struct node_state_row *node_state_row(uint32_t flags)
{
	const struct node_state_row *row = rows;

	while (row->any && !(row->any & flags))
		row++;
	return row;
}

uint32_t node_state_read(const char *text)
{
	uint32_t flags = 0;

	while (*text) {
		size_t length = strcspn(text, "+");

		for (size_t i = 0; i < ROWS(words); i++) {
			if (strlen(words[i].word) == length &&
			    strncasecmp(words[i].word, text, length) == 0)
				flags |= words[i].flag;
		}
		text += length + (text[length] == '+');
	}
	return flags;
}
