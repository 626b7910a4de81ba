// Data sets of the project and under ../shared/data, as inputs of `plimsoll report`.
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { solveLayout } from "./command.mjs";
import { repository, scratch, sharedData } from "./environment.mjs";
import { writeMpiCalls } from "./profiles.mjs";

const ownData = path.join(repository, "tests/data");

export const hasSharedData = existsSync(sharedData);
export const elevenPhases = path.join(sharedData, "lb/nolb-8color-16nodes-11firstphases");

/** Data of the project, which together show every view. */
export function ownInputs() {
  return [
    path.join(ownData, "lb/generated"),
    path.join(ownData, "alltoallv/forward"),
    writeMpiCalls(path.join(scratch, "heat")),
    ...layoutInputs(path.join(ownData, "cime"), []),
  ];
}

/** All data under ../shared/data, the richest of each kind first. */
export function sharedInputs() {
  const sets = lbDataInputs(path.join(sharedData, "lb"));
  const richest = sets.filter((input) => input.startsWith(elevenPhases));
  const profiles = readdirSync(path.join(sharedData, "alltoallv")).sort().map((name) => path.join(sharedData, "alltoallv", name));
  return [
    ...richest, ...sets.filter((input) => !richest.includes(input)),
    path.join(sharedData, "lb/lb_data_file_example.json"),
    ...profiles,
    ...layoutInputs(path.join(sharedData, "cime"), ["example", "atmlnd", "wav"]),
  ];
}

/** The data sets below a directory, named by directory and the part of their file names before the rank. */
function lbDataInputs(folder) {
  const names = readdirSync(folder).sort();
  const stems = new Set(names.map((name) => /^(.*)\.\d+\.json(\.br)?$/.exec(name)?.[1]).filter(Boolean));
  const below = names.map((name) => path.join(folder, name)).filter((name) => statSync(name).isDirectory());
  return [...[...stems].map((stem) => path.join(folder, stem)), ...below.flatMap(lbDataInputs)];
}

/** Solutions for problems in JSON, and for timing files with nodes, a sweep and a check. */
function layoutInputs(folder, problems) {
  const timings = path.join(folder, "timing");
  return [
    ...problems.map((name) => solveLayout(name, "--json_input", path.join(folder, `${name}.json`), "--total_tasks", "64:1024:64", "--objective", "ratio=0.5")),
    solveLayout("nodes", timings, "--total_nodes", "2:16:2", "--tasks_per_node", "16", "--check", path.join(timings, "timing_2")),
  ];
}
