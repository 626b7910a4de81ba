// Paths that the tests use. PLIMSOLL is the command under test.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const viewer = fileURLToPath(new URL("../..", import.meta.url));
export const repository = path.resolve(viewer, "..");
export const plimsoll = process.env.PLIMSOLL ?? "plimsoll";
export const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const sharedData = path.join(process.env.PLIMSOLL_SHARED ?? path.join(repository, "../shared"), "data");

/** Directory of screenshots for people to look at. */
export const screenshots = path.join(repository, "build/viewer/screenshots");
mkdirSync(screenshots, { recursive: true });

/** A directory that is removed when the tests end. */
export const scratch = mkdtempSync(path.join(tmpdir(), "plimsoll-viewer-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
