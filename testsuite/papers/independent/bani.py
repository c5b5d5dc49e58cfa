# SPDX-License-Identifier: GPL-2.0-or-later
"""First Fit with and without turning under FCFS (Bani-Mohammad et al., section VI), by
brute force on a mesh, written from the paper alone.

Jobs on stdin as id,submit,run,geometry (in order of submission, whole seconds);
arguments: tff or ff, and the side of the cubic mesh. Prints id,start. Bases are
tried with the first dimension fastest.
"""
import csv
import heapq
import itertools
import sys

TURNS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def find(busy, sides, side, turns):
    for turn in turns:
        want = [sides[i] for i in turn]
        starts = [range(side - w + 1) for w in reversed(want)]
        for base in map(lambda b: b[::-1], itertools.product(*starts)):
            box = set(
                itertools.product(*(range(b, b + w) for b, w in zip(base, want)))
            )
            if not box & busy:
                return box
    return None


def main(turning, side):
    jobs = [
        (int(r["submit"]), int(r["run"]), [int(x) for x in r["geometry"].split("x")], r["id"])
        for r in csv.DictReader(sys.stdin)
    ]
    busy, running, now, count = set(), [], 0, 0
    for submit, run, sides, name in jobs:
        now = max(now, submit)
        while True:
            while running and running[0][0] <= now:
                busy -= heapq.heappop(running)[2]
            box = find(busy, sides, side, TURNS if turning else TURNS[:1])
            if box:
                break
            now = running[0][0]
        busy |= box
        count += 1
        heapq.heappush(running, (now + run, count, box))
        print(f"{name},{now}")


main(sys.argv[1] == "tff", int(sys.argv[2]))
