import { decompressReport } from "../data/decode";
import { element } from "./dom";
import { renderReport } from "./shell";

const secondsBetweenQuestions = 2;

/** Shows the report of the server that sent this page (`plimsoll serve`), and every newer one. Never ends. */
export async function followReport(page: HTMLElement): Promise<void> {
  const status = element("p", { class: "live-status", role: "status" }, "Waiting for data …");
  document.body.append(status);
  for (let version = ""; ; ) {
    try {
      version = await showNewer(page, version);
      status.textContent = "Live: the page follows the data.";
    } catch (error) {
      status.textContent = error instanceof TypeError ? "The server does not answer. Is plimsoll serve running?" : String(error);
    }
    await new Promise((resume) => setTimeout(resume, secondsBetweenQuestions * 1000));
  }
}

/** Shows the report if it is newer than this version, and returns its version. */
async function showNewer(page: HTMLElement, version: string): Promise<string> {
  const response = await fetch(`data.json?version=${version}`);
  if (response.status === 204) return version;
  if (!response.ok) throw new Problem((await response.json()).message);
  const report = await decompressReport(new Uint8Array(await response.arrayBuffer()));
  const place = scrollY;
  renderReport(page, report);
  scrollTo(0, place);
  return response.headers.get("X-Version") ?? "";
}

/** A message of the server, which is shown as it is. */
class Problem extends Error {
  override toString(): string { return this.message; }
}
