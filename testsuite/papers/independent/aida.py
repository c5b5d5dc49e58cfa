# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines with WaitLimit (Aida, Kasahara, Narita 1998, section 3 and Fig. 10),
written from the paper alone.

Jobs on stdin as id,submit,run,nodes (in order of submission, whole seconds);
arguments: the discipline, the number of processors, WaitLimit. Prints id,start.
"""
import csv
import heapq
import sys

SORTED = {"mpfs": -1, "lpfs": 1, "fpmpfs": -1}


def main(scheme, processors, limit):
    jobs = [
        (int(r["submit"]), int(r["run"]), int(r["nodes"]), r["id"])
        for r in csv.DictReader(sys.stdin)
    ]
    queue, running, idle, k = [], [], processors, 0
    while k < len(jobs) or queue:
        times = [running[0][0]] if running else []
        times += [jobs[k][0]] if k < len(jobs) else []
        now = min(times)
        while running and running[0][0] == now:
            idle += heapq.heappop(running)[1]
        while k < len(jobs) and jobs[k][0] == now:
            at = len(queue)
            sign = SORTED.get(scheme, 0)
            while at and sign and now - queue[at - 1][0] < limit:
                if sign * queue[at - 1][2] <= sign * jobs[k][2]:
                    break
                at -= 1
            queue.insert(at, jobs[k])
            k += 1
        at = 0
        while at < len(queue) and idle:
            submit, run, nodes, name = queue[at]
            if nodes <= idle:
                idle -= nodes
                heapq.heappush(running, (now + run, nodes))
                print(f"{name},{now}")
                del queue[at]
            elif not scheme.startswith("fp") or now - submit >= limit:
                break
            else:
                at += 1


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
