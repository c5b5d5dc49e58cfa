/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workload models: a file and a line here each. */
#ifndef TRACE_MODELS_H
#define TRACE_MODELS_H

#include "trace/models/model.h"

#define TORUS_MODELS(X)                                                        \
	X(aida_uniform)                                                        \
	X(aida_real)                                                           \
	X(bani_uniform)                                                        \
	X(bani_exponential)                                                    \
	X(mohapatra_geometric)                                                 \
	X(mohapatra_uniform)                                                   \
	X(mohapatra_reverse)                                                   \
	X(lublin)

#define TORUS_MODEL_DECLARE(name)                                              \
	extern const struct torus_model torus_model_##name;
TORUS_MODELS(TORUS_MODEL_DECLARE)

#endif
