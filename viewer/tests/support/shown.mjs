// Numbers that a page shows, read back from their text.

const sizes = {
  "": 1, s: 1, ms: 1e-3, "µs": 1e-6, ns: 1e-9, min: 60, h: 3600, "%": 0.01,
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50, EiB: 2 ** 60,
};

/** Value and precision of a shown number such as "31.2 ms", "2 min 5 s" or "2.5e-7", or null. */
export function readNumber(text) {
  const sign = text.startsWith("−") ? -1 : 1;
  const parts = [...text.replace("−", "").matchAll(/([\d,]+(?:\.\d+)?)(?:e([-+]\d+))? ?(min|[a-zA-Zµ%]*)(?:\/s)?(?: |$)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text.replace("−", "")) return null;
  let value = 0;
  let precision = 0;
  for (const [, digits, exponent, unit] of parts) {
    if (!(unit in sizes)) return null;
    const scale = sizes[unit] * 10 ** Number(exponent ?? 0);
    value += Number(digits.replaceAll(",", "")) * scale;
    precision = scale * 10 ** -(digits.split(".")[1]?.length ?? 0) * 0.501;
  }
  return { value: sign * value, precision };
}

/** What a view shows: its text, its numbers with their exact values, and the number of canvases without a size. */
export function shownView(page) {
  return page.evaluate(() => {
    const main = document.querySelector("main");
    const numbers = [...main.querySelectorAll("data[value]")].map((element) => ({ text: element.textContent, exact: element.value }));
    for (const cell of main.querySelectorAll("td.numeric")) {
      if (cell.closest("tr").style.visibility === "hidden" || !cell.title) continue;
      numbers.push({ text: cell.textContent, exact: cell.title.split(" ")[0] });
    }
    const cut = (table) => table.scrollWidth > table.clientWidth + 1;
    const hint = (table) => table.parentElement.querySelector(".table-hint").textContent;
    const tools = (canvas) => [...(canvas.closest("figure")?.querySelectorAll(".figure-tools button") ?? [])].map((tool) => tool.textContent);
    return {
      chartsWithoutExport: [...main.querySelectorAll("canvas")].filter((canvas) => !["CSV", "PNG"].every((tool) => tools(canvas).includes(tool))).length,
      cutTables: [...main.querySelectorAll(".table-scroller")].filter((table) => cut(table) && !hint(table)).map((table) => table.innerText),
      text: main.innerText,
      numbers: numbers.filter(({ exact }) => exact !== "").map(({ text, exact }) => ({ text, exact: Number(exact) })),
      emptyCanvases: [...main.querySelectorAll("canvas")].filter((canvas) => canvas.width === 0 || canvas.height === 0).length,
    };
  });
}
