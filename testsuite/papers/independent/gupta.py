# SPDX-License-Identifier: GPL-2.0-or-later
"""CNP_Alloc (Gupta, Srimani 1997, section 2.4), written from the paper alone.

Jobs on stdin as d,t; M is the side of the torus. Prints job,start,finish,row,col.
Node sets instead of availability matrices: two subtori share links if they have a
row or a column in common, and a larger job counts as its sub-jobs.
"""
import csv
import sys
from fractions import Fraction


def main(m):
    jobs = [(int(r["d"]), Fraction(r["t"])) for r in csv.DictReader(sys.stdin)]
    order = sorted(range(len(jobs)), key=lambda k: -jobs[k][0])
    held = []  # [d, row, col, finish, job]
    start, now = {}, Fraction(0)
    for k in order:
        d, t = jobs[k]
        side = m // d

        def holder(r, c):
            """The running job on the subtorus of size d at (r, c)."""
            for h in held:
                s = m // h[0]
                if h[3] > now and r % s == h[1] and c % s == h[2]:
                    return h
            return None

        cells = [(r, c) for r in range(side) for c in range(side)]
        while all(holder(*x) for x in cells):
            now = min(h[3] for h in map(lambda x: holder(*x), cells))
        best = None
        for r, c in cells:
            if holder(r, c):
                continue
            rivals = [holder(i, c) for i in range(side) if i != r]
            rivals += [holder(r, j) for j in range(side) if j != c]
            shared = [min(t, h[3] - now) for h in rivals if h]
            load = sum(shared, Fraction(0)) / side
            if best is None or load < best[0]:
                best = (load, r, c, rivals)
        load, r, c, rivals = best
        done = []
        for h in rivals:
            if h and h not in done:
                h[3] += min(t, h[3] - now) / side
                done.append(h)
        start[k] = now
        held.append([d, r, c, now + t + load, k])
    for h in sorted(held, key=lambda h: h[4]):
        print(f"{h[4] + 1},{start[h[4]]},{h[3]},{h[1]},{h[2]}")


main(int(sys.argv[1]))
