/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the reader of sacct --json (fuzz_trace.h). */
#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_trace("sacct-json", data, size);
}
