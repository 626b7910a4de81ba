#!/usr/bin/env python3
"""Prints the table of solutions.md: the best layout of each row, found by trying every one.

The data are convex, so that the largest of the lines through neighbouring points, which is the model of CIME's
tool, and piecewise-linear interpolation are the same; the script checks this.
"""

import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent

ROWS = [("example", total, blocks) for total, blocks in
        [(256, "8"), (512, "8"), (1024, "8"), (256, "1"), (512, "16"), (1000, "8"), (1023, "8"), (24, "8"),
         (16, "8"), (1024, "8 ocn=4,lnd=4")]]
ROWS += [("timing", total, blocks) for total, blocks in
         [(16, "2"), (32, "2"), (64, "2"), (64, "1"), (64, "2 atm=16"), (128, "4"), (4, "2")]]


def read_example():
    data = json.loads((FOLDER / "example.json").read_text())
    return {name: list(zip(part["ntasks"], part["cost"])) for name, part in data.items() if isinstance(part, dict)}


def read_timing():
    points = {}
    for path in sorted((FOLDER / "timing").iterdir()):
        text = path.read_text()
        tasks = {name.upper(): int(n) for name, n in re.findall(r"^  (\w+) = \w+ +\d+ +\d+ +(\d+) +x", text, re.M)}
        for name, seconds in re.findall(r"^    (\w+) Run Time: +([\d.]+) seconds", text, re.M):
            if name in tasks:
                points.setdefault(name, []).append((tasks[name], float(seconds)))
    return points


def times(points, total):
    """Seconds on 1 to `total` tasks, extrapolated as CIME's tool does."""
    points = sorted(points)
    if points[0][0] > 1:
        points.insert(0, (1, points[0][0] * points[0][1]))
    if points[-1][0] < total:
        (n0, c0), (n1, c1) = points[-2:]
        efficiency = (1 - c1 / c0) / (1 - n0 / n1)
        points.append((total, c1 * (1 - efficiency + efficiency * n1 / total)))
    lines = [(n0, n1, c0, (c1 - c0) / (n1 - n0)) for (n0, c0), (n1, c1) in zip(points, points[1:])]
    result = [None]
    for n in range(1, total + 1):
        interpolated = next(c + slope * (n - n0) for n0, n1, c, slope in lines if n <= n1)
        assert interpolated >= max(c + slope * (n - n0) for n0, n1, c, slope in lines) - 1e-9
        result.append(interpolated)
    return result


def layouts(curves, total, blocks):
    """Time, ATM, OCN, ICE and LND of every layout that uses all processors."""
    pairs = {}
    for ice in range(blocks["ICE"], total + 1, blocks["ICE"]):
        for lnd in range(blocks["LND"], total - ice + 1, blocks["LND"]):
            pairs.setdefault(ice + lnd, []).append((max(curves["ICE"][ice], curves["LND"][lnd]), ice, lnd))
    for atm in range(blocks["ATM"], total, blocks["ATM"]):
        ocn = total - atm
        if ocn % blocks["OCN"] == 0:
            for first, ice, lnd in pairs.get(atm, []):
                yield max(first + curves["ATM"][atm], curves["OCN"][ocn]), atm, ocn, ice, lnd


def best_time(curves, total, blocks):
    """Of all layouts, also those that leave processors idle; None if nothing fits."""
    room = {}
    for ice in range(blocks["ICE"], total + 1, blocks["ICE"]):
        for lnd in range(blocks["LND"], total - ice + 1, blocks["LND"]):
            time = max(curves["ICE"][ice], curves["LND"][lnd])
            room[ice + lnd] = min(time, room.get(ice + lnd, time))
    best = None
    for atm in range(blocks["ATM"], total + 1, blocks["ATM"]):
        firsts = [time for used, time in room.items() if used <= atm]
        for ocn in range(blocks["OCN"], total - atm + 1, blocks["OCN"]):
            if firsts:
                time = max(min(firsts) + curves["ATM"][atm], curves["OCN"][ocn])
                best = time if best is None else min(best, time)
    return best


def main():
    print("| data | layout | total | bs | T (s) | ATM | OCN | ICE | LND | WAV | status | ties | T<= | T PL |")
    print("|---" * 14 + "|")
    for data, total, text in ROWS:
        points = read_example() if data == "example" else read_timing()
        size, _, some = text.partition(" ")
        blocks = dict.fromkeys(["ATM", "OCN", "ICE", "LND"], int(size))
        blocks.update((name.upper(), int(n)) for name, n in re.findall(r"(\w+)=(\d+)", some))
        curves = {name: times(points[name], total) for name in blocks}
        idle = best_time(curves, total, blocks)
        idle = "-" if idle is None else f"{idle:.6f}"
        found = sorted(layouts(curves, total, blocks))
        if found:
            ties = sum(layout[0] <= found[0][0] + 1e-9 for layout in found)
            time, atm, ocn, ice, lnd = found[0]
            print(f"| {data} | ILAO | {total} | {text} | {time:.6f} | {atm} | {ocn} | {ice} | {lnd} | - | ok | {ties} "
                  f"| {idle} | {idle} |")
        else:
            print(f"| {data} | ILAO | {total} | {text} | - | - | - | - | - | - | INFEASIBLE | 0 | {idle} | {idle} |")


if __name__ == "__main__":
    main()
