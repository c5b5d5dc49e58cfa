# SPDX-License-Identifier: GPL-2.0-or-later
"""Equal and Non-Equal Partition under FCFS (Mao, Chen, Watson 2005, sections 2 and 3),
written from the paper alone. Only the sizes of the pieces matter for start times.

Jobs on stdin as id,submit,run,nodes (in order of submission, whole seconds);
arguments: ep or nep, and the sizes of the initial semitori. Prints id,start.
"""
import csv
import heapq
import sys


class Piece:
    def __init__(self, size, path, parent):
        self.size, self.path, self.parent = size, path, parent
        self.children = []


def partition(piece, m, equal):
    """The pieces of a partition; the first has m nodes and is allocated."""
    sizes = [m] * (piece.size // m)
    if not equal:
        sizes = [m]
        while sum(sizes) < piece.size:
            sizes.append(sum(sizes))
    piece.children = [Piece(s, piece.path + (i,), piece) for i, s in enumerate(sizes)]
    return piece.children


def main(equal, initial):
    jobs = [
        (int(r["submit"]), int(r["run"]), int(r["nodes"]), r["id"])
        for r in csv.DictReader(sys.stdin)
    ]
    available = [Piece(s, (i,), None) for i, s in enumerate(initial)]
    running, now, count = [], 0, 0
    for submit, run, nodes, name in jobs:
        m = 1
        while m < nodes:
            m *= 2
        now = max(now, submit)
        while True:
            while running and running[0][0] <= now:
                give_back(available, heapq.heappop(running)[2])
            fitting = [p for p in available if p.size >= m]
            if fitting:
                break
            now = running[0][0]
        piece = min(fitting, key=lambda p: (p.size, p.path))
        available.remove(piece)
        if piece.size > m:
            piece, *rest = partition(piece, m, equal)
            available += rest
        count += 1
        heapq.heappush(running, (now + run, count, piece))
        print(f"{name},{now}")


def give_back(available, piece):
    """Siblings that are all available become their parent again."""
    available.append(piece)
    while piece.parent and all(p in available for p in piece.parent.children):
        for p in piece.parent.children:
            available.remove(p)
        piece = piece.parent
        available.append(piece)


main(sys.argv[1] == "ep", [int(s) for s in sys.argv[2:]])
