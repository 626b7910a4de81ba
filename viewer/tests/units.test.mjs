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
  stdin: { contents: tests.map((name) => `import "./${name}";`).join("\n"), resolveDir: join(folder, "unit") },
  bundle: true, format: "esm", platform: "node", outfile: join(output, "units.mjs"),
});
const run = spawnSync(process.execPath, ["--test-reporter=spec", join(output, "units.mjs")], { stdio: "inherit" });
await rm(output, { recursive: true });
process.exitCode = run.status ?? 1;
