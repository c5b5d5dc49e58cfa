/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of slurmctld that select/victims.c and select/test_only.c call, for a test
 * without slurmctld. No header of Slurm is used: the functions are found by their names,
 * whatever version the plugins are built for. A list is a struct fake_list, a bitmap one
 * word.
 */
#include "fake_slurm.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (their prototypes are in headers of Slurm) */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define BITMAPS 4096 /* copies, until one is used again */

struct fake_list *job_list;
int node_record_count = 64;
char fake_error[FAKE_ERROR_SIZE];
const void *fake_error_job[2];
int (*fake_preempt_mode)(void *job);

void fake_list_add(struct fake_list *list, void *item)
{
	if (list->count == FAKE_LIST_ROOM)
		abort();
	list->item[list->count++] = item;
}

int slurm_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	snprintf(fake_error, sizeof(fake_error), "%s", format);
	for (int i = 0; i < 2; i++)
		fake_error_job[i] = va_arg(args, const void *);
	va_end(args);
	return 0;
}

void *slurm_xcalloc(size_t count, size_t size)
{
	return calloc(count, size);
}

void slurm_xfree(void **p)
{
	free(*p);
	*p = NULL;
}

struct fake_list *slurm_list_create(void *destroy)
{
	(void)destroy;
	return calloc(1, sizeof(struct fake_list));
}

void slurm_list_destroy(struct fake_list *list)
{
	free(list);
}

int slurm_list_count(struct fake_list *list)
{
	return (int)list->count;
}

void *slurm_list_append(struct fake_list *list, void *item)
{
	fake_list_add(list, item);
	return item;
}

int slurm_list_for_each(struct fake_list *list, int (*visit)(void *, void *),
			void *arg)
{
	for (unsigned i = 0; i < list->count; i++)
		visit(list->item[i], arg);
	return (int)list->count;
}

void *slurm_list_find_first(struct fake_list *list,
			    int (*match)(void *, void *), void *arg)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (match(list->item[i], arg))
			return list->item[i];
	}
	return NULL;
}

int slurm_bit_overlap_any(const uint64_t *a, const uint64_t *b)
{
	return (*a & *b) != 0;
}

void bit_and_not(uint64_t *a, const uint64_t *b)
{
	*a &= ~*b;
}

void slurm_bit_and_not(uint64_t *a, const uint64_t *b)
{
	bit_and_not(a, b);
}

int64_t bit_size(const uint64_t *bits)
{
	(void)bits;
	return node_record_count;
}

int64_t slurm_bit_size(const uint64_t *bits)
{
	return bit_size(bits);
}

uint64_t *bit_copy(const uint64_t *bits)
{
	static uint64_t copy[BITMAPS];
	static atomic_uint copies;
	uint64_t *to = &copy[atomic_fetch_add(&copies, 1) % BITMAPS];

	*to = *bits;
	return to;
}

uint64_t *slurm_bit_copy(const uint64_t *bits)
{
	return bit_copy(bits);
}

/* The memory stays, so that a later reader finds all bits set. */
void slurm_bit_free(uint64_t **bits)
{
	**bits = UINT64_MAX;
	*bits = NULL;
}

int node_name2bitmap(void)
{
	return -1; /* no node has a name */
}

int slurm_job_preempt_mode(void *job)
{
	return fake_preempt_mode(job);
}

int slurm_preemption_enabled(void)
{
	return 1;
}
