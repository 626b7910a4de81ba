// Elements are built from text nodes only, never from markup, since names in the data may contain anything.

type Child = Node | string | null | undefined | false;
type Attributes = { [name: string]: string | number | boolean | null | undefined | ((event: never) => void) };

/**
 * Creates an element. Attributes that are functions become listeners of the event with that name; true sets an empty
 * attribute; false, null and undefined set none.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") result.addEventListener(name, value as (event: Event) => void);
    else if (value === true) result.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) result.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) result.append(child);
  return result;
}

export function button(label: string, title: string, onClick: () => void): HTMLButtonElement {
  return element("button", { type: "button", title, click: onClick }, label);
}

/** A labelled choice between options. */
export function choice(
  label: string,
  options: { value: string; label: string }[],
  value: string,
  onChange: (value: string) => void,
): HTMLLabelElement {
  const select = element("select", { change: () => onChange(select.value) });
  for (const option of options) select.append(element("option", { value: option.value }, option.label));
  select.value = value;
  return element("label", { class: "control" }, label, select);
}

/** A labelled check box. */
export function checkBox(label: string, value: boolean, onChange: (value: boolean) => void): HTMLLabelElement {
  const input = element("input", { type: "checkbox", change: () => onChange(input.checked) });
  input.checked = value;
  return element("label", { class: "control" }, input, label);
}

/** Says a sentence to users of screen readers. */
export function announce(text: string): void {
  let region = document.getElementById("announcement");
  if (!region) {
    region = element("div", { id: "announcement", class: "visually-hidden", "aria-live": "polite" });
    document.body.append(region);
  }
  region.textContent = text;
}

/** Calls `onResize` with the width of an element now and whenever it changes. */
export function watchWidth(target: HTMLElement, onResize: (width: number) => void): void {
  let last = 0;
  const update = () => {
    const width = Math.floor(target.clientWidth);
    if (width > 0 && width !== last) onResize((last = width));
  };
  update();
  new ResizeObserver(update).observe(target);
}
