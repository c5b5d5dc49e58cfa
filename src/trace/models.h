/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The models' descriptors. */
#ifndef TRACE_MODELS_H
#define TRACE_MODELS_H

#include "trace/model.h"

extern const struct torus_model torus_model_aida_uniform;
extern const struct torus_model torus_model_aida_real;
extern const struct torus_model torus_model_bani_uniform;
extern const struct torus_model torus_model_bani_exponential;
extern const struct torus_model torus_model_lublin;
extern const struct torus_model torus_model_mohapatra_geometric;
extern const struct torus_model torus_model_mohapatra_uniform;
extern const struct torus_model torus_model_mohapatra_reverse;

#endif
