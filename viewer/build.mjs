// Bundles the viewer into dist/report.html: one page with script and style inline, into which `plimsoll report` writes
// its data. The same sources and package versions give the same bytes.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const folder = new URL(".", import.meta.url).pathname;

async function bundle(entry) {
  const result = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "inline",
    write: false,
  });
  return result.outputFiles[0].text.trim();
}

const licence = await readFile(`${folder}node_modules/uplot/LICENSE`, "utf8");
const script = `/* This page contains uPlot.\n\n${licence.trim()}\n*/\n${await bundle("src/main.ts")}`;
const style = await bundle("src/style.css");
if (/<\/(script|style)/i.test(script + style)) throw new Error("The bundle would end its own element.");

const hash = createHash("sha256").update(script).digest("base64");
const page = (await readFile(`${folder}src/page.html`, "utf8"))
  .replace("SCRIPT_HASH", () => `sha256-${hash}`)
  .replace("STYLE", () => style)
  .replace("SCRIPT", () => script);
await mkdir(`${folder}dist`, { recursive: true });
await writeFile(`${folder}dist/report.html`, page);
