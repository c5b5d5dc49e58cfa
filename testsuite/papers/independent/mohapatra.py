# SPDX-License-Identifier: GPL-2.0-or-later
"""First phase of Buddy/RT (Mohapatra, section 2.2), written from the paper alone: the
lowest sub-cube whose processors are all available (EAT) by the latest start.

Jobs on stdin as id,submit,run,nodes,deadline (in order of submission; jobs of one
instant in order of deadlines; whole seconds); argument: the dimension of the cube.
Prints id,start, and "rejected" instead of a start.
"""
import csv
import itertools
import sys


def main(n):
    eat = [0] * 2**n
    rows = csv.DictReader(sys.stdin)
    for submit, same in itertools.groupby(rows, key=lambda r: int(r["submit"])):
        for r in sorted(same, key=lambda r: int(r["deadline"])):
            size, run = int(r["nodes"]), int(r["run"])
            latest = int(r["deadline"]) - run
            start = "rejected"
            for j in range(0, 2**n, size):
                earliest = max(submit, *eat[j : j + size])
                if earliest <= latest:
                    start = earliest
                    eat[j : j + size] = [start + run] * size
                    break
            print(f"{r['id']},{start}")


main(int(sys.argv[1]))
