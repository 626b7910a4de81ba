// usage: node run.mjs TEST   Runs a test, or skips it in one line (status 77) if what it needs is not installed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
const missing =
  !existsSync(`${folder}../node_modules/playwright-core`) ? "the npm packages of the viewer; run npm ci in viewer"
  : !existsSync(chromium) ? `${chromium}; install the Debian package chromium`
  : null;
if (missing) {
  console.log(`SKIPPED: missing ${missing}`);
  process.exit(77);
}
const result = spawnSync(process.execPath, ["--test-reporter=spec", process.argv[2]], { stdio: "inherit", cwd: folder });
process.exit(result.status ?? 1);
