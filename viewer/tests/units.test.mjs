// Bundles the unit tests with esbuild and runs them with Node's test runner: node tests/units.test.mjs
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const folder = new URL(".", import.meta.url).pathname;
const tests = (await readdir(join(folder, "unit"))).filter((name) => name.endsWith(".test.ts"));
const output = await mkdtemp(join(tmpdir(), "viewer-tests-"));
await build({
  entryPoints: tests.map((name) => join(folder, "unit", name)),
  bundle: true, format: "esm", platform: "node", outdir: output, outExtension: { ".js": ".mjs" },
});
const run = spawnSync(process.execPath, ["--test", ...tests.map((name) => join(output, name.replace(/\.ts$/, ".mjs")))], { stdio: "inherit" });
await rm(output, { recursive: true });
process.exitCode = run.status ?? 1;
