#!/usr/bin/env python3
"""Makes of a table of timings the problem that `plimsoll layout solve --json_input` reads.

usage: from_table.py TABLE.csv > PROBLEM.json

The table has the columns component, tasks and seconds_per_day, and threads if there are several. Of repeated
measurements the median is taken.
"""
import csv
import json
import statistics
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
times = {}  # times of each component, by tasks and threads
with open(sys.argv[1], newline="") as table:
    for row in csv.DictReader(table):
        counts = int(row["tasks"]), int(row.get("threads") or 1)
        times.setdefault(row["component"], {}).setdefault(counts, []).append(float(row["seconds_per_day"]))

problem = {"unit": "seconds_per_day"}
for component, runs in times.items():
    problem[component] = {
        "ntasks": [tasks for tasks, _ in runs],
        "nthrds": [threads for _, threads in runs],
        "cost": [statistics.median(seconds) for seconds in runs.values()],
        "repeats": [len(seconds) for seconds in runs.values()],
        "least": [min(seconds) for seconds in runs.values()],
        "greatest": [max(seconds) for seconds in runs.values()],
    }
json.dump(problem, sys.stdout)
print()
