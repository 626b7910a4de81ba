import type { Report } from "../data/report";
import { shortNames } from "../format/short-names";
import { viewsOf } from "../views/registry";
import { element } from "./dom";
import { parsePlace, Selection } from "./selection";
import { isDark, toggleTheme, watchSystemTheme } from "./theme";
import type { View } from "./view";

const sectionKinds = { lb_data: "LB data", statistics: "LB statistics", collectives: "Collectives", layout: "Layout" };

let stopShowing = new AbortController();

/** Renders a report into the page; can be called again with a newer one, which then shows the same view. */
export function renderReport(page: HTMLElement, report: Report): void {
  stopShowing.abort();
  stopShowing = new AbortController();
  const main = element("main", { id: "main", tabindex: -1 });
  const navigation = element("nav", { class: "navigation", "aria-label": "Views" });
  const show = () => showPlace(report, navigation, main);
  page.replaceChildren(skipLink(main), header(report, show), navigation, main, footer(report));
  window.addEventListener("hashchange", () => {
    const fromLink = navigation.contains(document.activeElement);
    show();
    scrollTo(0, 0);
    // The keyboard goes on from the link of the new view or, if a chart opened it, from the view itself.
    (fromLink ? navigation.querySelector<HTMLElement>("[aria-current]") : main)?.focus({ preventScroll: true });
  }, { signal: stopShowing.signal });
  watchSystemTheme(show, stopShowing.signal);
  show();
}

function showPlace(report: Report, navigation: HTMLElement, main: HTMLElement): void {
  const scrolled = scrollY;
  const place = parsePlace(location.hash);
  const position = report.sections[place.section] ? place.section : 0;
  const section = report.sections[position];
  if (!section) {
    main.replaceChildren(element("p", {}, "The report contains no data."));
    return;
  }
  const views = viewsOf(section, report);
  const view = views.find((candidate) => candidate.id === place.view) ?? views[0]!;
  const selection = new Selection(place.selected, () => {
    history.replaceState(null, "", address(position, view, selection));
    updateLinks(navigation, position, selection);
  });
  navigation.replaceChildren(...navigationLists(report, position, view));
  updateLinks(navigation, position, selection);
  const host = element("div", { class: "view", "data-view": view.id });
  main.replaceChildren(
    element("h1", {}, view.title),
    element("p", { class: "purpose" }, view.purpose),
    host,
  );
  document.title = `${view.title} – ${section.name} – Plimsoll`;
  try {
    view.render(host, {
      report, section, position, selection,
      open: (id) => { location.hash = address(position, { ...view, id }, selection); },
    });
  } catch (error) {
    host.replaceChildren(element("p", { role: "alert" }, `This view cannot be drawn: the data have another form than expected. ${String(error)}`));
    console.error(error);
  }
  scrollTo(0, scrolled);
}

function address(position: number, view: { id: string }, selection: Selection): string {
  return `#${position}/${view.id}${selection.toQuery()}`;
}

function navigationLists(report: Report, current: number, view: View): HTMLElement[] {
  const names = shortNames(report.sections.map((section) => section.name));
  return report.sections.map((section, position) => {
    const links = viewsOf(section, report).map((candidate) => {
      const here = position === current && candidate.id === view.id;
      const link = element("a", { href: `#${position}/${candidate.id}`, "data-view": candidate.id }, candidate.title);
      if (here) link.setAttribute("aria-current", "page");
      return element("li", {}, link);
    });
    return element("div", { class: "navigation-section", "data-section": position },
      element("p", { class: "navigation-kind" }, sectionKinds[section.kind] ?? section.kind),
      element("p", { class: "navigation-name", title: section.name }, names[position]!),
      element("ul", {}, ...links));
  });
}

/** Links to views of the same section keep the selection. */
function updateLinks(navigation: HTMLElement, position: number, selection: Selection): void {
  const links = navigation.querySelectorAll<HTMLAnchorElement>(`[data-section="${position}"] a`);
  for (const link of links) link.href = address(position, { id: link.dataset["view"]! }, selection);
}

function skipLink(main: HTMLElement): HTMLElement {
  const skip = (event: Event) => {
    event.preventDefault();
    main.focus();
  };
  return element("a", { class: "skip-link", href: "#main", click: skip }, "Skip to the view");
}

function header(report: Report, show: () => void): HTMLElement {
  const paths = report.sections.map((section) => section.name);
  const theme = element("button", { type: "button", class: "theme-toggle" });
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.setAttribute("aria-label", "Switch between light and dark");
  theme.addEventListener("click", () => {
    toggleTheme();
    label();
    show();
  });
  label();
  return element("header", { class: "page-header" },
    element("span", { class: "brand" }, "Plimsoll"),
    element("span", { class: "inputs", title: paths.join("\n") }, ...isolated(shortNames(paths))),
    theme);
}

/** Names separated by commas, none of which changes the writing direction of the others. */
function isolated(names: string[]): (HTMLElement | string)[] {
  return names.flatMap((name, i) => [i > 0 ? ", " : "", element("bdi", {}, name)]);
}

function footer(report: Report): HTMLElement {
  return element("footer", { class: "page-footer" },
    element("p", {}, `Written by Plimsoll ${report.plimsoll} with the command:`),
    element("pre", { tabindex: 0, "aria-label": "Command that wrote the report" },
      report.command.map(quoteArgument).join(" ")));
}

function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
