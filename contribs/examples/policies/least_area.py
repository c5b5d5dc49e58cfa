#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A policy for storus replay: least area first, but no job waits for ever.

    storus replay --torus 8x8x8 --discipline "pipe:./least_area.py" trace.swf

storus writes a line of JSON to stdin when the replay begins, and one for each
pass. This program answers each pass with one line: the ids of the queue in the
order in which it wants EASY to see them. See doc/policy.md.
"""
import json
import sys

BOUND_S = 20 * 3600  # who has waited longer comes first, by arrival


def rank(job, now_s):
    """Return the sort key of a job: least first."""
    if now_s - job["submit_s"] > BOUND_S:
        return (0, job["submit_s"])
    return (1, job["limit_s"] * job["nodes"])


def main():
    machine = json.loads(sys.stdin.readline())
    if machine["schema"] != 1:
        sys.exit("least_area.py: unknown schema %s" % machine["schema"])
    for line in sys.stdin:
        state = json.loads(line)
        queue = state["queue"]
        queue.sort(key=lambda job: rank(job, state["now_s"]))
        answer = {"order": [job["id"] for job in queue]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
