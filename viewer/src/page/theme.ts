// Light and dark: as the system prefers, until the user toggles. Paper is light.

const dark = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");

/** Whether the page is being printed. */
export function isPaper(): boolean {
  return paper.matches;
}

export function isDark(): boolean {
  if (isPaper()) return false;
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : dark.matches;
}

export function toggleTheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
}

/** Calls `listener` when the system's preference changes, and before and after printing. */
export function watchSystemTheme(listener: () => void, signal: AbortSignal): void {
  dark.addEventListener("change", listener, { signal });
  paper.addEventListener("change", listener, { signal });
}

/** Value of a colour of style.css, such as "text" or "accent", for canvas code. */
export function themeColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
