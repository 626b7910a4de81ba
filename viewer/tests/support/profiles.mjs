// Profiles that the tests write.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** MPI calls of 4 ranks, by default on two hosts, that exchange with neighbours; rank 3 has the most work. */
export function writeMpiCalls(folder, { location = "/opt/heat(main+0x1f) [0xd40] /src/heat.c:53", host = "node", ranksPerHost = 2 } = {}) {
  const functions = [
    { name: "MPI_Allreduce", calls: [500, 500, 500, 500], time_s: [4.1, 4, 4.05, 0.2] },
    { name: "MPI_Isend", calls: [1000, 2000, 2000, 1000], time_s: [0.12, 0.2, 0.21, 0.11] },
    { name: "MPI_Waitall", calls: [1000, 1000, 1000, 1000], time_s: [0.31, 0.42, 0.4, 0.29] },
  ];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  functions[0].sizes = [{ min_bytes: 1, max_bytes: 16, calls: 2000, time_s: sum(functions[0].time_s) }];
  functions[1].sizes = [
    { min_bytes: 0, max_bytes: 0, calls: 1000, time_s: 0.04 }, { min_bytes: 16385, max_bytes: 65536, calls: 5000, time_s: 0.6 },
  ];
  // MPI takes twice as long in the second window as in the first one.
  const thirds = [1 / 3, 2 / 3];
  for (const own of functions) own.window_times_s = thirds.map((part) => part * sum(own.time_s));
  const sites = functions.map(({ name, calls, time_s }, i) => {
    const [most, least] = [Math.max(...time_s), Math.min(...time_s)];
    return {
      function: name, location: i === 0 ? location : `/opt/heat(exchange+0x${i}f) [0x${i}40] /src/heat.c:${27 + i}`, ranks: 4, calls: sum(calls),
      failed_calls: 0, sent_bytes: i === 1 ? 196608000 : 0, received_bytes: i === 2 ? 196608000 : 0, time_s: sum(time_s),
      max_time_s: most, min_time_s: least, slowest_rank: time_s.indexOf(most), fastest_rank: time_s.indexOf(least), longest_call_s: most / 100,
      waited_s: name === "MPI_Allreduce" ? time_s.reduce((sum, time) => sum + time - least, 0) : null,
      ...(i === 0 && { callers: [{ locations: [location, "/opt/heat(main+0x2f) [0xd50] /src/heat.c:60"], calls: 1500, time_s: 9 }] }),
    };
  });
  sites.sort((a, b) => b.time_s - a.time_s);
  const mpi = [0, 1, 2, 3].map((rank) => sum(functions.map(({ time_s }) => time_s[rank])));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "mpi-calls.json"), JSON.stringify({
    format: "plimsoll MPI calls", version: 1, ideal_s: 12,
    ranks: mpi.map((mpi_s, rank) => ({ host: `${host}${Math.floor(rank / ranksPerHost)}`, wall_s: 12.5, mpi_s })),
    functions, sites,
    regions: [{ name: "solve", wall_s: mpi.map((mpi_s) => mpi_s + 2), mpi_s: mpi.map((mpi_s) => mpi_s / 2), ideal_s: mpi.map((mpi_s) => mpi_s / 2 + 3) }],
    windows: { length_s: 6.25, parts: thirds.map((part) => ({ wall_s: mpi.map(() => 6.25), mpi_s: mpi.map((mpi_s) => part * mpi_s), ideal_s: mpi.map(() => 6) })) },
    traffic: [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2]].map(([from, to]) => [from, to, 1000, 32768000]),
  }));
  return folder;
}

/** Counts, hosts and a backtrace of two calls on 4 ranks. */
export function writeCounts(folder, { host = "node", frame = "/opt/app(main+0x1f) [0xd40]" } = {}) {
  mkdirSync(folder, { recursive: true });
  const counts = (kind, rows) => writeFileSync(path.join(folder, `${kind}-counters.job0.rank0.txt`),
    `# Raw counters\n\nNumber of ranks: 4\nDatatype size: 8\nAlltoallv calls 0-1\nCount: 2 calls - 0-1\n\n\nBEGINNING DATA\n`
    + `${rows.map(([ranks, row]) => `Rank(s) ${ranks}: ${row.join(" ")} \n`).join("")}END DATA\n`);
  counts("send", [["0-3", [1, 2, 3, 4]]]);
  counts("recv", [[0, [1, 1, 1, 1]], [1, [2, 2, 2, 2]], [2, [3, 3, 3, 3]], [3, [4, 4, 4, 4]]]);
  writeFileSync(path.join(folder, "alltoallv_locations_comm0_rank0.md"),
    "FORMAT_VERSION: 9\n\nCommunicator ID: 0\nCalls: 0-1\nCOMM_WORLD ranks: 0-3\nPIDs: 100-103\nHostnames:\n"
    + [0, 1, 2, 3].map((rank) => `\tRank ${rank}: ${host}${rank >> 1}\n`).join(""));
  writeFileSync(path.join(folder, "alltoallv_backtrace_rank0_trace0.md"),
    `FORMAT_VERSION: 9\n\nstack trace for /opt/app pid=100\n\n# Trace\n\n${frame}\n\n# Context 0\n\n`
    + "Communicator: 0\nCommunicator rank: 0\nCOMM_WORLD rank: 0\nCalls: 0-1\n\n");
  return folder;
}
