#!/usr/bin/env python3
"""Compares POP factors and waits that Plimsoll and OTF-CPT measure with known ones.

usage: bench/known_answers.py [--otf-cpt libOTFCPT.so] [--runs N]

Builds what it needs with the preset ci, runs each program N times (3), and prints the medians as Markdown. Most
programs compute by sleeping, so that their answers are known on a machine that others use. Those named "spin" need
free cores. In the second table, further processes use all cores: the finding about the processor must come first.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).resolve().parent.parent
BUILD = SOURCE / "build/ci"
PROGRAMS = BUILD / "tests/interpose/sums"
PLIMSOLL = BUILD / "src/cli/plimsoll"
LAUNCHER = "mpirun.openmpi" if os.path.exists("/usr/bin/mpirun.openmpi") else "mpirun"
TARGETS = ["plimsoll", "plimsoll_profiler_openmpi", "known_paths_openmpi", "rotating_delays_openmpi", "two_hosts_openmpi"]
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1"}


@dataclass
class Case:
    """A program with known factors, and the time that all its ranks wait together."""
    name: str
    ranks: int
    known: dict
    waited_s: float | None = None
    program: str = "known_paths"
    arguments: tuple = ()  # else the name
    spins: bool = False
    two_hosts: bool = False

    @property
    def title(self):
        places = ", two hosts" if self.two_hosts else ""
        return f"{self.name}, {self.ranks} ranks{places}{', spin' if self.spins else ''}"


def factors(load_balance, serialisation, transfer=1, **others):
    return {"load balance": load_balance, "serialisation": serialisation, "transfer": transfer, **others}


CASES = [
    Case("ramp", 4, factors(0.625, 1), 0.6),
    Case("pipeline", 4, factors(1, 0.25), 2.4),
    Case("freed_communicators", 4, factors(1, 0.25), 2.4),
    Case("rhythm", 4, factors(1, 175 / 400), 0.9),
    Case("rotating_delays", 4, factors(1, 0.25), 3, program="rotating_delays", arguments=("100",)),
    Case("rotating_delays", 2, factors(1, 0.5), 1, program="rotating_delays", arguments=("100",)),
    Case("late_sender", 2, factors(0.625, 1), 0.15),
    Case("late_receiver", 2, factors(0.625, 1), 0.15),
    Case("late_sender", 2, factors(0.625, 1, **{"between nodes": 0.625}), 0.15, two_hosts=True),
    Case("hybrid", 2, factors(0.75, 1), 0.1),
    Case("transfer", 2, {"transfer": 0}),
    Case("ramp", 2, factors(0.75, 1), 0.1, spins=True),
    Case("pipeline", 2, factors(1, 0.5), 0.4, spins=True),
    Case("rhythm", 2, factors(1, 250 / 400), 0.3, spins=True),
    Case("late_sender", 2, factors(0.625, 1), 0.15, spins=True),
    Case("late_receiver", 2, factors(0.625, 1), 0.15, spins=True),
]

BESIDE_OTHERS = [Case(name, ranks, {}, spins=True) for name, ranks in (
    ("ramp", 2), ("pipeline", 2), ("pipeline", 4), ("pipeline", 8), ("freed_communicators", 4), ("rhythm", 2),
    ("late_sender", 2), ("late_receiver", 2), ("hybrid", 2), ("transfer", 2))]


class OtherLoad:
    """Number of cores that other processes use, on average, while this is a context."""

    def __enter__(self):
        self.before = self.now()
        return self

    def __exit__(self, *_):
        begin, busy, own = self.before
        end, busy_now, own_now = self.now()
        self.cores = max(0.0, (busy_now - busy - (own_now - own)) / (end - begin))

    @staticmethod
    def now():
        ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        own = os.times()
        busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
        return time.monotonic(), busy, sum(own[:4])


def command(case):
    return [LAUNCHER, "-n", str(case.ranks), str(PROGRAMS / f"{case.program}_openmpi"),
            *(case.arguments or (case.name,))]


def environment(case, preload=()):
    extra = {"SPIN": "1"} if case.spins else {}
    libraries = ([str(PROGRAMS / "two_hosts_openmpi.so")] if case.two_hosts else []) + list(preload)
    if libraries:
        extra["LD_PRELOAD"] = ":".join(libraries)
    return {**os.environ, **ENVIRONMENT, **extra}


def run_plimsoll(case):
    """Returns the summary of a profiled run."""
    with tempfile.TemporaryDirectory() as folder:
        profile = [PLIMSOLL, "profile", "--record", "critical-path", "-o", folder, "--force", "--"]
        subprocess.run(profile + command(case), env=environment(case), check=True, capture_output=True, timeout=120)
        summary = [PLIMSOLL, "collectives", "summary", "--json", folder]
        return json.loads(subprocess.run(summary, check=True, capture_output=True, text=True).stdout)


def plimsoll_values(summary):
    of = summary["mpi"]["efficiencies"]
    named = {"load balance": "load_balance", "between nodes": "between_nodes",
             "serialisation": "serialisation", "transfer": "transfer"}
    values = {name: of[key] for name, key in named.items() if of[key] is not None}
    if summary["mpi"]["waited_s"] is not None:
        values["waited"] = summary["mpi"]["waited_s"]
    return values


def run_otf_cpt(case, library):
    """Returns the factors of a run with OTF-CPT; none for programs that it cannot follow."""
    if case.two_hosts:
        return {}
    inner = command(case)
    inner[3:3] = ["-x", "LD_PRELOAD=" + library]
    try:
        text = subprocess.run(inner, env=environment(case), check=True, capture_output=True, text=True, timeout=60)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return {}
    named = {"Load Balance": "load balance", "Serialisation Efficiency": "serialisation",
             "Transfer Efficiency": "transfer"}
    found = re.findall(r"^  +([A-Z][\w ]+): +([\d.]+)$", text.stdout + text.stderr, re.MULTILINE)
    return {named[name]: float(value) for name, value in reversed(found) if name in named}


def medians(results):
    names = {name for result in results for name in result}
    return {name: median(result[name] for result in results if name in result) for name in names}


QUANTITIES = ["load balance", "between nodes", "serialisation", "transfer", "waited"]


def cell(name, known, ours, theirs):
    """Returns the known value, and those of Plimsoll and OTF-CPT with their deviations."""
    if name not in known:
        return ""
    measured = [f"{values[name]:.3f} ({values[name] - known[name]:+.3f})" if name in values else "unknown"
                for values in (ours, theirs) if values is not None]
    return f"{known[name]:.3g}: {' / '.join(measured)}"


def compare(case, otf_cpt, runs):
    """Prints the row of a program."""
    with OtherLoad() as others:
        ours = medians([plimsoll_values(run_plimsoll(case)) for _ in range(runs)])
        theirs = medians([run_otf_cpt(case, otf_cpt) for _ in range(runs)]) if otf_cpt else None
    known = case.known if case.waited_s is None else {**case.known, "waited": case.waited_s}
    cells = [cell(name, known, ours, None if name in ("between nodes", "waited") else theirs) for name in QUANTITIES]
    print(f"| {case.title} | {others.cores:.1f} | {' | '.join(cells)} |", flush=True)


def first_finding_beside_others(case, runs):
    """Prints what the first finding is while other processes use all cores."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        first = [run_plimsoll(case)["findings"][0]["text"] for _ in range(runs)]
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    about_cores = sum("had no core" in text for text in first)
    worst = next((text for text in first if "had no core" not in text), first[0])
    print(f"| {case.title} | {about_cores} of {runs} | {worst.split(':')[0]} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--otf-cpt", metavar="LIBRARY", help="libOTFCPT.so, built for the same MPI")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    subprocess.run([SOURCE / "scripts/build", "ci", *TARGETS], check=True, stdout=subprocess.DEVNULL)
    print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, medians of {arguments.runs} runs; in parentheses: "
          "deviation from the known answer, which precedes the values of Plimsoll and of OTF-CPT\n")
    print("| program | cores used by others | load balance | between nodes | serialisation | transfer | waited, s |\n"
          "|---|---|---|---|---|---|---|")
    for case in CASES:
        compare(case, arguments.otf_cpt, arguments.runs)
    print("\n| program beside a busy process per core | findings about missing cores first | a first finding |\n|---|---|---|")
    for case in BESIDE_OTHERS:
        first_finding_beside_others(case, arguments.runs)


main()
