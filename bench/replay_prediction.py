#!/usr/bin/env python3
"""Compares replays of runs without balancing with real runs that are balanced.

usage: bench/replay_prediction.py [--pairs N]

Builds what it needs with the preset ci. Runs examples/particles and examples/lb_test N times (10) without balancing,
replays the data with RefineLB whenever it pays, and runs the program with the same settings. Prints medians as
Markdown. Loads are CPU times, so that other programs of the machine hardly disturb them. The times are sums over the
phases of the maximum load of a rank, with the recorded costs of balancing.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).resolve().parent.parent
BUILD = SOURCE / "build/ci"
PLIMSOLL = BUILD / "src/cli/plimsoll"
LAUNCHER = "mpirun.openmpi" if os.path.exists("/usr/bin/mpirun.openmpi") else "mpirun"
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
CASES = {
    "particles, 2 ranks": (2, "particles_cpp_openmpi", "100 1000 200000 0 1 GEOMETRIC 0.9956".split()),
    "particles, drift, 2 ranks": (2, "particles_cpp_openmpi", "100 1000 200000 2 1 GEOMETRIC 0.9956".split()),
    "lb_test, 4 ranks": (4, "lb_test_openmpi", "256 600 20 200 ring --heavy-half=3".split()),
}


def run(*command):
    """Returns what a command prints."""
    result = subprocess.run([str(word) for word in command], env={**os.environ, **ENVIRONMENT},
                            capture_output=True, text=True, timeout=600)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def recorded(ranks, program, arguments, folder, *settings):
    run(LAUNCHER, "-n", ranks, BUILD / "tests/examples" / program, *arguments, "--vt_lb_quiet", "--vt_lb_loads=cpu",
        "--vt_lb_data", f"--vt_lb_data_dir={folder}", *settings)


def replayed(folder, strategy):
    return json.loads(run(PLIMSOLL, "replay", folder, "--strategy", strategy, "--json"))


def pair(case, folder):
    """Returns the time relative to the run without balancing, predicted and real, and both numbers of balancings."""
    ranks, program, arguments = case
    recorded(ranks, program, arguments, folder / "unbalanced")
    recorded(ranks, program, arguments, folder / "balanced", "--vt_lb", "--vt_lb_name=RefineLB")
    predicted = replayed(folder / "unbalanced", "RefineLB")
    real = replayed(folder / "balanced", "NoLB")
    info = json.loads(run(PLIMSOLL, "info", folder / "balanced", "--json"))
    before_s = predicted["recorded_total_s"]
    return (predicted["replays"][0]["total_s"] / before_s, real["recorded_total_s"] / before_s,
            predicted["replays"][0]["balanced_phases"], info["load_balancing"]["phases_with_migrations"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10)
    pairs = parser.parse_args().pairs
    subprocess.run([SOURCE / "scripts/build", "ci", "plimsoll", "particles_cpp_openmpi", "lb_test_openmpi"], check=True,
                   stdout=sys.stderr)
    print("| program | predicted time | real time | predicted / real | balancings, predicted / real |")
    print("|---|---|---|---|---|")
    for name, case in CASES.items():
        results = []
        for _ in range(pairs):
            with tempfile.TemporaryDirectory() as folder:
                results.append(pair(case, Path(folder)))
        predicted, real, balancings, real_balancings = zip(*results)
        quotients = [a / b for a, b in zip(predicted, real)]
        print(f"| {name} | {median(predicted):.3f} | {median(real):.3f} | {median(quotients):.3f} "
              f"({min(quotients):.3f} to {max(quotients):.3f}) | {median(balancings):g} / {median(real_balancings):g} |",
              flush=True)


if __name__ == "__main__":
    main()
