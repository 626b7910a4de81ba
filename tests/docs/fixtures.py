"""Data that the commands of the documents read, as the programs described there would write them."""
import json
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent


def generate(path):
    """Data set of the README."""
    subprocess.run(["plimsoll", "generate", "--ranks", "32", "--objects-per-rank", "64", "-o", path], check=True,
                   stdout=subprocess.DEVNULL)


def generate_small(path):
    """Data set on which all strategies are fast."""
    subprocess.run(["plimsoll", "generate", "-o", path], check=True, stdout=subprocess.DEVNULL)


def generate_blocks(path):
    """Data set with shared memory blocks, like those of LBAF."""
    subprocess.run(["plimsoll", "generate", "--footprint", "1024", "--blocks-per-rank", "2", "--block-bytes", "1e9", "-o",
                    path], check=True, stdout=subprocess.DEVNULL)


def copy_own_data(path):
    """Data set that examples/own_data wrote: mpirun -n 4 own_data_cpp --vt_lb_data."""
    shutil.copytree(HERE / "own_data", path)


def truncate_own_data(path):
    """Partial output files of the same run, killed after phase 1: their contents up to the end of this phase."""
    path.mkdir()
    for rank, length in enumerate((1745, 1722, 1696, 1635)):
        content = (HERE / "own_data" / f"data.{rank}.json.br").read_bytes()
        (path / f"data.{rank}.json.br.partial").write_bytes(content[:length])


def write_blocks(path, kind, size, blocks):
    """Counts of the collective profiler; blocks are (calls, rows), rows are (ranks, counts)."""
    with open(path / f"{kind}-counters.job0.rank0.txt", "w") as file:
        for calls, rows in blocks:
            file.write(f"# Raw counters\n\nNumber of ranks: 8\nDatatype size: {size}\nAlltoallv calls 0-{calls[-1]}\n"
                       f"Count: {len(calls)} calls - {', '.join(map(str, calls))}\n\n\nBEGINNING DATA\n")
            file.writelines(f"Rank(s) {ranks}: {' '.join(map(str, counts))} \n" for ranks, counts in rows)
            file.write("END DATA\n")


def write_distant_exchange(path):
    """Profile of examples/collectives/distant_exchange.c on 8 ranks: every fourth call sends 64 bytes to each rank."""
    path.mkdir()
    exchanges = [call for call in range(200) if call % 4 != 3]
    rows = [(rank, [20000 if peer == (rank + 4) % 8 else 0 for peer in range(8)]) for rank in range(8)]
    for kind in ("send", "recv"):
        write_blocks(path, kind, 1, [(exchanges, rows), (range(3, 200, 4), [("0-7", [64] * 8)])])
    write_locations(path, 200, ["node0"] * 8)


def write_transposition(path):
    """Profile of analyse-collectives.md: 3 exchanges, for which rank 7 is late, and then a gather, 10 times."""
    path.mkdir()
    exchanges = [call for call in range(40) if call % 4 != 3]
    gathers = range(3, 40, 4)
    write_blocks(path, "send", 8, [(exchanges, [("0-6", [4096] * 8), (7, [8192] * 8)]),
                                   (gathers, [("0-7", [500] + [0] * 7)])])
    write_blocks(path, "recv", 8, [(exchanges, [("0-7", [4096] * 7 + [8192])]),
                                   (gathers, [(0, [500] * 8), ("1-7", [0] * 8)])])
    write_locations(path, 40, ["node0"] * 4 + ["node1"] * 4)
    with open(path / "alltoallv_late_arrival_times.rank0_comm0_job0.md", "w") as late, \
         open(path / "alltoallv_execution_times.rank0_comm0_job0.md", "w") as spent:
        for file in (late, spent):
            file.write("FORMAT_VERSION: 9\n\n")
        for call in range(40):
            last, transfer, lead = (7, 1.1e-3, 7.8e-3) if call % 4 != 3 else (call // 4 % 7, 0.2e-3, 0.05e-3)
            waits = [0 if rank == last else lead + (call * 7 + rank * 5) % 11 * 20e-6 for rank in range(8)]
            for file, times in ((late, waits), (spent, [transfer + wait for wait in waits])):
                file.write(f"# Call {call}\n" + "".join(f"{time:.9f}\n" for time in times) + "\n")


def write_mpi_calls(path):
    """MPI calls of examples/collectives/heat.c on 4 ranks and two nodes: 500 steps; rank 3 has the most work."""
    waits, reductions, sends = [0.31, 0.42, 0.4, 0.29], [4.1, 4.0, 4.05, 0.2], [0.12, 0.2, 0.21, 0.11]
    exchanges = [1000, 2000, 2000, 1000]  # of a rank with its neighbours
    rows = {"MPI_Allreduce": ([500] * 4, reductions), "MPI_Irecv": (exchanges, [0.002] * 4),
            "MPI_Isend": (exchanges, sends), "MPI_Waitall": ([1000] * 4, waits)}
    places = {"MPI_Allreduce": ("main", 53, 4000, 4000), "MPI_Irecv": ("exchange", 27, 0, 0),
              "MPI_Isend": ("exchange", 28, 49152000, 0), "MPI_Waitall": ("main", 36, 0, 0)}
    sites = []
    for name, (calls, times) in rows.items():
        function, line, sent, received = places[name]
        sites.append({"function": name, "location": f"/opt/heat({function}+0x1f) [0x{line * 64:x}] /src/heat.c:{line}",
                      "ranks": 4, "calls": sum(calls), "failed_calls": 0, "sent_bytes": 4 * sent,
                      "received_bytes": 4 * received, "time_s": sum(times), "max_time_s": max(times),
                      "min_time_s": min(times), "slowest_rank": times.index(max(times)),
                      "fastest_rank": times.index(min(times)), "longest_call_s": max(times) / max(calls) * 3,
                      "beyond_fastest_s": sum(times) - 4 * min(times)})
    path.mkdir()
    (path / "mpi-calls.json").write_text(json.dumps({
        "format": "plimsoll MPI calls", "version": 1,
        "ranks": [{"host": f"node{rank // 2}", "wall_s": 12.5, "mpi_s": sum(row[1][rank] for row in rows.values()),
                   "beyond_fastest_s": reductions[rank] - min(reductions)} for rank in range(4)],
        "functions": [{"name": name, "calls": calls, "time_s": times} for name, (calls, times) in rows.items()],
        "sites": sorted(sites, key=lambda site: -site["time_s"]),
        "traffic": [[0, 1, 1000, 32768000], [1, 0, 1000, 32768000], [1, 2, 1000, 32768000], [2, 1, 1000, 32768000],
                    [2, 3, 1000, 32768000], [3, 2, 1000, 32768000]]}))


def write_locations(path, calls, hosts):
    lines = [f"\tRank {rank}: {host}\n" for rank, host in enumerate(hosts)]
    (path / "alltoallv_locations_comm0_rank0.md").write_text(
        f"FORMAT_VERSION: 9\n\nCommunicator ID: 0\nCalls: 0-{calls - 1}\nCOMM_WORLD ranks: 0-7\nPIDs: 100-107\n"
        f"Hostnames:\n{''.join(lines)}")


def write_hostfile(path):
    path.write_text("node0 slots=4\nnode1 slots=4\n")


def write_timings(folder, case="case", numbers=(1, 2, 3)):
    """Timing files of runs of a coupled model."""
    folder.mkdir(parents=True)
    for number in numbers:
        shutil.copy(SOURCE / f"tests/data/cime/timing/timing_{number}", folder / f"cesm_timing.{case}.{number}")


def write_cases(path):
    """Cases PREFIX_1 to PREFIX_3, as plimsoll layout submit creates them."""
    for number in (1, 2, 3):
        case = f"{path.name}_{number}"
        write_timings(path.with_name(case) / "timing", case, [number])


def write_solver(path):
    path.write_text("#!/bin/sh\ncat > problem.json\necho '{\"time\": 1, \"solution\": {\"NTASKS_OCN\": 1}}'\n")
    path.chmod(0o755)


# Functions that create the files and directories that commands name.
FIXTURES = {
    "DIR": generate_small,
    "best_any": lambda path: write_timings(path / "timing", numbers=[1]),
    "data": generate,
    "heat": write_mpi_calls,
    "hosts.txt": write_hostfile,
    "killed": truncate_own_data,
    "lbt_timing_run": write_cases,
    "mycase": lambda path: write_timings(path / "timing"),
    "my_solver": write_solver,
    "plimsoll-profile": write_distant_exchange,
    "run": write_transposition,
    "timing": write_timings,
    "toy": generate_blocks,
    "vt_lb_data": copy_own_data,
}
