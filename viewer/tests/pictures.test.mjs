// Takes screenshots of all views, for people to look at.
import { after, before, test } from "node:test";
import { assertNoProblems, openReport, screenshot, startBrowser, visitViews } from "./support/browser.mjs";
import { writeReport } from "./support/command.mjs";
import { elevenPhases, hasSharedData, ownInputs } from "./support/inputs.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

for (const colorScheme of ["light", "dark"]) test(`views of the project's data in the ${colorScheme} theme`, () => picture(colorScheme, colorScheme, ownInputs()));

const skip = hasSharedData ? false : "../shared/data is missing";
test("views of a real run", { skip }, () => picture("shared", "light", [elevenPhases]));

async function picture(name, colorScheme, inputs) {
  const { file, report } = writeReport(name, ...inputs);
  const page = await openReport(browser, file, { colorScheme });
  await visitViews(page, async ({ view, section }) => {
    await screenshot(page, `${name}-${section}-${report.sections[section].kind}-${view}`);
    assertNoProblems(page, view);
  });
  await page.context().close();
}
