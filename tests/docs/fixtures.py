"""Files of readers, and data that the programs of the documents wrote when their outputs were recorded."""
import json
import shutil
from pathlib import Path

from documents import blocks_of

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent


def copy_own_data(path):
    """Data set that examples/own_data wrote: mpirun -n 4 own_data_cpp --vt_lb_data."""
    shutil.copytree(HERE / "own_data", path)


def copy_pic_data(path):
    """Data set of balance-a-real-code.md: on 2 ranks, with one block per rank or many."""
    shutil.copytree(HERE / "pic" / path.name, path)


def write_blocks(path, kind, size, blocks):
    """Counts of the collective profiler; blocks are (calls, rows), rows are (ranks, counts)."""
    with open(path / f"{kind}-counters.job0.rank0.txt", "w") as file:
        for calls, rows in blocks:
            file.write(f"# Raw counters\n\nNumber of ranks: 8\nDatatype size: {size}\nAlltoallv calls 0-{calls[-1]}\n"
                       f"Count: {len(calls)} calls - {', '.join(map(str, calls))}\n\n\nBEGINNING DATA\n")
            file.writelines(f"Rank(s) {ranks}: {' '.join(map(str, counts))} \n" for ranks, counts in rows)
            file.write("END DATA\n")


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
                      "waited_s": sum(times) - 4 * min(times) if name == "MPI_Allreduce" else None})
    sizes = {"MPI_Allreduce": (1, 16), "MPI_Isend": (16385, 65536)}  # the others know no sizes
    windows = [0.22, 0.2, 0.2, 0.2, 0.18]  # parts of the time in MPI
    mpi = [sum(row[1][rank] for row in rows.values()) for rank in range(4)]
    path.mkdir()
    (path / "mpi-calls.json").write_text(json.dumps({
        "format": "plimsoll MPI calls", "version": 1,
        "ranks": [{"host": f"node{rank // 2}", "wall_s": 12.5, "mpi_s": mpi[rank],
                   "waited_s": reductions[rank] - min(reductions), "threads": 1, "user_s": 12.25, "system_s": 0.15,
                   "voluntary_switches": 12, "involuntary_switches": 31, "core_wait_s": 0.07,
                   "cores": f"{rank % 2}"} for rank in range(4)],
        "functions": [{"name": name, "calls": calls, "time_s": times,
                       "sizes": [dict(zip(("min_bytes", "max_bytes"), sizes.get(name, (0, 0))), calls=sum(calls),
                                      time_s=sum(times))],
                       "window_times_s": [part * sum(times) for part in windows]}
                      for name, (calls, times) in rows.items()],
        "windows": {"length_s": 2.5, "parts": [{"wall_s": [2.5] * 4, "mpi_s": [part * time for time in mpi]}
                                               for part in windows]},
        "sites": sorted(sites, key=lambda site: -site["time_s"]),
        "traffic": [[0, 1, 1000, 32768000], [1, 0, 1000, 32768000], [1, 2, 1000, 32768000], [2, 1, 1000, 32768000],
                    [2, 3, 1000, 32768000], [3, 2, 1000, 32768000]]}))


def write_phases(path):
    """MPI calls of the program in analyse-collectives.md: rank 0 reads for 2 s, then rank 3 has the most work."""
    length = 2**31 * 1e-9
    busy = [[length, 0.05, 0.05, 0.05], *[[1.7, 1.6, 1.65, 2.1]] * 4]  # time outside MPI by window and rank
    windows = [{"wall_s": [length] * 4, "mpi_s": [length - time for time in times]} for times in busy]
    read, solve = windows[0], {key: [4 * value for value in windows[1][key]] for key in ("wall_s", "mpi_s")}
    calls = {"MPI_Allreduce": [400] * 4, "MPI_Bcast": [1] * 4}
    times = {"MPI_Allreduce": solve["mpi_s"], "MPI_Bcast": read["mpi_s"]}
    path.mkdir()
    (path / "mpi-calls.json").write_text(json.dumps({
        "format": "plimsoll MPI calls", "version": 1,
        "ranks": [{"host": "node0", "wall_s": 5 * length, "mpi_s": sum(times[name][rank] for name in times), "threads": 1}
                  for rank in range(4)],
        "functions": [{"name": name, "calls": calls[name], "time_s": times[name]} for name in calls],
        "sites": [], "traffic": [], "regions": [{"name": "read", **read}, {"name": "solve", **solve}],
        "windows": {"length_s": length, "parts": windows}}))


def write_locations(path, calls, hosts):
    lines = [f"\tRank {rank}: {host}\n" for rank, host in enumerate(hosts)]
    (path / "alltoallv_locations_comm0_rank0.md").write_text(
        f"FORMAT_VERSION: 9\n\nCommunicator ID: 0\nCalls: 0-{calls - 1}\nCOMM_WORLD ranks: 0-7\nPIDs: 100-107\n"
        f"Hostnames:\n{''.join(lines)}")


def timing(number):
    """Timing file of a run of a coupled model."""
    return SOURCE / f"tests/data/cime/timing/timing_{number}"


def write_timings(reader, folder, case="case", numbers=(1, 2, 3)):
    folder.mkdir(parents=True)
    for number in numbers:
        shutil.copy(timing(number), folder / f"cesm_timing.{case}.{number}")


def write_cases(reader, path):
    for number in (1, 2, 3):
        case = f"{path.name}_{number}"
        write_timings(reader, path.with_name(case) / "timing", case, [number])


def write_layouts(reader, path):
    """The PE file of timing-runs.md."""
    (block,) = (block for block in blocks_of(SOURCE / "docs/how-to/timing-runs.md", "") if block.file == path.name)
    path.write_text(block.text)


def write_cime(reader, path):
    """Scripts that create a case, whose submission runs the model at once."""
    scripts = path / "scripts"
    write_script(scripts / "case.submit", f"""mkdir timing
cp {timing("")}$(ls -d ../*/timing | wc -l) timing/cesm_timing.${{PWD##*/}}.1""")
    write_script(scripts / "xmlchange", "")
    write_script(scripts / "create_newcase", f'''mkdir "$2" && cp {scripts}/* "$2"
cp {scripts}/xmlchange "$2/case.setup" && cp {scripts}/xmlchange "$2/case.build"''')


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def write_all_ranks(reader, path):
    """File with the tasks of four ranks."""
    reader.shell("plimsoll generate --plain -o of-ranks", check=True)
    whole, *others = (json.loads((path.parent / f"of-ranks/data.{rank}.json").read_text()) for rank in range(4))
    for other in others:
        for key in ("tasks", "communications"):
            whole["phases"][0][key] += other["phases"][0][key]
    path.write_text(json.dumps(whole))


def write_text(text):
    return lambda reader, path: path.write_text(text)


def run(command):
    return lambda reader, path: reader.shell(command, check=True)


PROGRAM_WITH_BALANCE = """
#include <plimsoll/balance/score.hpp>
#include <plimsoll/lbdata/phases.hpp>

int main() {
  const std::vector<double> loads = {1, 3};
  return plimsoll::balance::imbalance(loads) != 0.5 || to_string(plimsoll::lbdata::PhaseRange{1, 2}) != "1-2";
}
"""

# All files that readers have without having followed a page, and why. A function creates the file before the first
# command that names it. The documents must show how to get every other file.
OWN = {
    "./app": ("their program", run("mpicc examples/collectives/distant_exchange.c -o app")),
    "my_program.cpp": ("their program", write_text(PROGRAM_WITH_BALANCE)),
    "./run_case.sh": ("runs their model", lambda reader, path: write_script(path, "")),
    "./vt_program": ("their program with vt, which overwrites its data",
                     run("mpicc examples/own_data/own_data.c $(pkg-config --cflags --libs plimsoll-runtime) -lstdc++"
                         " -lm -o vt_program && export PLIMSOLL_LB_DATA_OVERWRITE=true")),
    "all.json": ("was written by another tool", write_all_ranks),
    "DIR": ("stands for any data set", run("plimsoll generate -o DIR")),
    "hosts.txt": ("names the nodes of their machine", write_text("node0 slots=4\nnode1 slots=4\n")),
    "old_profile": ("was written by the collective profiler", lambda reader, path: write_transposition(path)),
    "toy/data": ("was written for LBAF", run("mkdir toy && plimsoll generate --footprint 1024 --blocks-per-rank 2"
                                             " --block-bytes 1e9 -o toy/data")),
    "~/cesm/cime": ("belongs to CESM", write_cime),
    "~/E3SM/cime": ("belongs to E3SM", write_cime),
    "mycase/timing": ("was written by their model", write_timings),
    "best_any/timing": ("was written by their model", lambda reader, path: write_timings(reader, path, numbers=[1])),
    "lbt_timing_run": ("was written by their model", write_cases),
    "pes.xml": ("layouts of their timing runs", write_layouts),
}
# Data whose times differ from run to run. When a command has written them, they are replaced by those of the outputs in
# the documents.
RECORDED = {"heat": write_mpi_calls, "many_blocks": copy_pic_data, "one_block": copy_pic_data, "phases": write_phases,
            "run": write_transposition, "vt_lb_data": copy_own_data}
