// The bundle in the repository is the one that its sources give.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { scratch, viewer } from "./support/environment.mjs";

test("a rebuild gives viewer/dist/report.html", () => {
  const copy = path.join(scratch, "viewer");
  for (const name of ["src", "build.mjs", "package.json", "tsconfig.json"]) cpSync(path.join(viewer, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(viewer, "node_modules"), path.join(copy, "node_modules"));
  execFileSync("npm", ["run", "--silent", "build"], { cwd: copy, stdio: ["ignore", "pipe", "inherit"] });
  const built = readFileSync(path.join(copy, "dist/report.html"), "utf8");
  const stored = readFileSync(path.join(viewer, "dist/report.html"), "utf8");
  assert.ok(built === stored, "viewer/dist/report.html differs from its sources: run npm run build in viewer");
});
