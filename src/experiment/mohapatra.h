/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mohapatra's claims (mohapatra_claims.c), for his figures (mohapatra.c).
 */
#ifndef EXPERIMENT_MOHAPATRA_H
#define EXPERIMENT_MOHAPATRA_H

struct torus_lab;

void torus_mohapatra_fig6_claims(struct torus_lab *lab);
void torus_mohapatra_fig7_claims(struct torus_lab *lab);
void torus_mohapatra_fig8_claims(struct torus_lab *lab);
void torus_mohapatra_fig9_claims(struct torus_lab *lab);
void torus_mohapatra_fig10_claims(struct torus_lab *lab);
void torus_mohapatra_sizes_claims(struct torus_lab *lab);

#endif
