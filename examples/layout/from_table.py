#!/usr/bin/env python3
"""Converts a table of timings to a problem for `plimsoll layout solve --json_input`.

usage: from_table.py TABLE.csv > PROBLEM.json

The columns of the table are component, tasks, seconds_per_day and, if thread counts vary, threads. The cost is the median of
repeated measurements.
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
