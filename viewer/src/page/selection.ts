// What the user has selected in a section. Views share it, and the address of the page carries it, as in
// #0/ranks?phase=3&rank=17, so that a view can be bookmarked and sent.

export type Selected = { [name: string]: number | string | null };

export class Selection {
  private values: Selected;
  private listeners = new Set<() => void>();

  constructor(values: Selected, private readonly onChange: () => void) {
    this.values = values;
  }

  /** The number selected under a name, or null. */
  number(name: string): number | null {
    const value = this.values[name];
    return value === null || value === undefined || value === "" || Number.isNaN(Number(value)) ? null : Number(value);
  }

  text(name: string): string | null {
    const value = this.values[name];
    return value === null || value === undefined ? null : String(value);
  }

  /** Whether a switch is on; see `toggle`. */
  isOn(name: string): boolean {
    return this.values[name] === "1" || this.values[name] === 1;
  }

  /** Selects values; null deselects. Tells all listeners if anything changed. */
  select(values: Selected): void {
    const changed = Object.keys(values).some((name) => String(this.values[name] ?? "") !== String(values[name] ?? ""));
    if (!changed) return;
    this.values = { ...this.values, ...values };
    this.onChange();
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls `listener` after each change, until the function that is returned is called. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  toQuery(): string {
    const parts = Object.entries(this.values)
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
    return parts.length ? `?${parts.join("&")}` : "";
  }
}

/** Where the page is: section, view and selection, read from an address such as #0/time?phase=3. */
export interface Place {
  section: number;
  view: string;
  selected: Selected;
}

export function parsePlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const [section = "0", view = ""] = path.split("/");
  const selected: Selected = {};
  for (const [name, value] of new URLSearchParams(query)) selected[name] = value;
  return { section: Number(section) || 0, view, selected };
}
