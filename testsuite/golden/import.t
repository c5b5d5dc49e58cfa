#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus import: what it writes, that it can be read, and every refusal.
. "$(dirname "$0")/lib-golden.sh"

golden torus3d storus import torus3d topology.yaml
golden mgd storus import mgd galaxy.textproto
golden mgd-nodes storus import mgd one.textproto --nodes 'box[1-4]'
golden tpu storus import tpu v5p
golden tpu-slice storus import tpu v4 --dims 4x8x8 --cubes --nodes 'tpu[00-63]'
golden tpu-mesh storus import tpu 7x --dims 2x2x1
golden place sh -c "\"$golden_top/storus\" import tpu v4 --dims 8x8x8 --cubes 2>/dev/null >'$golden_tmp/t.yaml' &&
	\"$golden_top/storus\" place --torus '$golden_tmp/t.yaml' --geometry 4x4x8"

golden express storus import mgd express.textproto
golden ring storus import mgd ring.textproto
# z links: across graphs, of each device, of one device, a mesh with three neighbours
golden z storus import mgd z.textproto
golden hub storus import mgd hub.textproto
golden second-top storus import mgd second-top.textproto
golden blocks storus import torus3d blocks.yaml
golden tpu-names sh -c "for t in v5e v5litepod v5litepod-16 v6e ct6e ct6e-standard-8t tpu7x trn2.48xlarge trn2u; do
	\"$golden_top/storus\" import tpu \$t || exit; done"
golden tpu-machine-types sh -c "for t in tpu7x-standard-4t ct5lp-hightpu-4t; do
	\"$golden_top/storus\" import tpu \$t --dims 4x4 2>&1 | head -n 1; done"
golden tpu-flat storus import tpu v6e --dims 16x4
golden slices storus import tpu v5litepod-100
golden cores sh -c "for t in v4-8 v4-64 v5p-128 tpu7x-1024 v4-100; do
	\"$golden_top/storus\" import tpu \$t; done"

golden unknown storus import xml a.xml
golden nothing storus import
golden no-file storus import mgd
golden missing storus import mgd none.textproto
golden type storus import tpu v3
golden slice storus import tpu v4-256
golden hosts storus import tpu v4 --dims 3x4x4
golden cubes storus import tpu v4 --dims 2x4x4 --cubes
golden dims storus import tpu v4 --dims 8x8
golden names storus import tpu v4 --dims 4x4x4 --nodes 'tpu[0-3]'
golden names-of-a-part storus import tpu v5p --nodes 'tpu[00-63]'
golden names-torn storus import mgd one.textproto --nodes 'tpu[0-'
golden no-top storus import mgd no-top.textproto
golden torn storus import mgd torn.textproto
golden odd storus import mgd odd.textproto
golden round storus import mgd round.textproto
golden two storus import mgd galaxy.textproto --nodes 'box[1-4]'
golden digits storus import mgd digits.textproto
golden types storus import mgd types.textproto
golden few-types storus import mgd few-types.textproto
golden many-types storus import mgd many-types.textproto
golden huge storus import mgd huge.textproto
golden nested storus import mgd nested.textproto
golden unused storus import mgd unused.textproto
golden doubled storus import mgd doubled.textproto
golden no-nodes storus import torus3d no-nodes.yaml
golden mesh storus import torus3d mesh.yaml
golden large storus import tpu v4 --dims 16x16x20
golden takes-nodes storus import torus3d topology.yaml --nodes 'n[0-31]'
golden takes-dims storus import mgd one.textproto --dims 8x8x8
golden full sh -c "\"$golden_top/storus\" import mgd one.textproto 2>&1 >/dev/full"
golden no-block storus import torus3d one.textproto
golden_done
