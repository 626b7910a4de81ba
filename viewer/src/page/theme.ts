// Light and dark: as the system prefers, until the user toggles.

const dark = matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : dark.matches;
}

export function toggleTheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
}

/** Calls `listener` when the system's preference changes. */
export function watchSystemTheme(listener: () => void): void {
  dark.addEventListener("change", listener);
}

/** Value of a colour of style.css, such as "text" or "accent", for canvas code. */
export function themeColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
