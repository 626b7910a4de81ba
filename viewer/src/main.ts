import { decodeReport } from "./data/decode";
import { element } from "./page/dom";
import { followReport } from "./page/follow";
import { renderReport } from "./page/shell";

async function open(page: HTMLElement): Promise<void> {
  if (document.getElementById("report-source")) return followReport(page);
  const data = document.getElementById("report-data");
  if (!data) throw new Error("The page contains no data. Write a report with: plimsoll report INPUT -o report.html");
  const report = await decodeReport(data.textContent ?? "");
  data.remove();
  renderReport(page, report);
}

const page = document.getElementById("page")!;
open(page).catch((error: unknown) => {
  page.replaceChildren(element("p", { class: "loading", role: "alert" }, `The report cannot be opened. ${String(error)}`));
});
