// Runs the command under test.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { plimsoll, scratch } from "./environment.mjs";

export function run(...options) {
  return execFileSync(plimsoll, options, { cwd: scratch, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
}

/** The document that a command prints with --json. */
export function documentOf(...options) {
  return JSON.parse(run(...options, "--json"));
}

/** Writes a report and returns its path, its size and the document that it contains. */
export function writeReport(name, ...inputs) {
  const file = path.join(scratch, `${name}.html`);
  run("report", ...inputs, "-o", file, "--force");
  return { file, bytes: statSync(file).size, report: reportIn(file) };
}

function reportIn(file) {
  const [, data] = readFileSync(file, "utf8").match(/id="report-data">([^<]*)</);
  return JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString("utf8"));
}

/** Saves the solution of a layout, which `report` reads. */
export function solveLayout(name, ...options) {
  const file = path.join(scratch, `${name}.json`);
  writeFileSync(file, run("layout", "solve", ...options, "--json"));
  return file;
}
