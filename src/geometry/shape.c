/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes (torus/region.h). Everything is O(axes). */
#include "torus/region.h"

#include <stdio.h>

uint64_t torus_shape_volume(const struct torus_shape *shape)
{
	uint64_t volume = 1;

	for (uint32_t a = 0; a < shape->axes; a++) {
		if (__builtin_mul_overflow(volume, shape->extent[a], &volume))
			return UINT64_MAX;
	}
	return volume;
}

void torus_shape_squeeze(struct torus_shape *shape)
{
	uint32_t kept = 0;

	for (uint32_t a = 0; a < shape->axes; a++) {
		if (shape->extent[a] != 1)
			shape->extent[kept++] = shape->extent[a];
	}
	if (kept == 0)
		shape->extent[kept++] = 1;
	shape->axes = kept;
}

int torus_shape_format(const struct torus_shape *shape, char *buffer,
		       size_t size)
{
	char text[TORUS_MAX_DIMS * 11 + 1] = "";
	int used = 0;

	for (uint32_t a = 0; a < shape->axes; a++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%s%u", a ? "x" : "", shape->extent[a]);
	return snprintf(buffer, size, "%s", text);
}
