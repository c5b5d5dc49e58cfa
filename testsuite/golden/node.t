#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus node without a cluster: names and coordinates, and every refusal. The
# live part is in testsuite/cluster/t69-node.t.
. "$(dirname "$0")/lib-golden.sh"

golden names storus node 'a[003-005]' b1 --torus two.yaml
golden coord storus node east:3,0 west:1,0,1 east:3,0 --torus two.yaml
golden json storus node west:1,0,1 --torus two.yaml --json
golden machine storus node torus:1,2,3 torus:1,2,3 --torus 4x4x4
golden machine-json storus node torus:3,0,0 --torus 4x4x4 --json
golden machine-wrong storus node torus:0,0,0 --torus 4x4y4
golden no-node storus node torus:1,1 --torus torn.yaml
golden unknown storus node c7 --torus two.yaml
golden outside storus node east:4,0 --torus two.yaml
golden short storus node west:1,0 --torus two.yaml
golden nothing storus node --torus two.yaml
golden both storus node --job 7 --torus two.yaml
golden no-torus storus node north:0,0 --torus two.yaml
golden list storus node 'a[0' --torus two.yaml
golden_done
