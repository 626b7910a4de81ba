// Numbers that a page shows, read back from their text.

const sizes = {
  "": 1, s: 1, ms: 1e-3, "µs": 1e-6, ns: 1e-9, "%": 0.01,
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50,
};

/** Value and precision of a shown number such as "31.2 ms" or "2.50e-4 %", or null. */
export function readNumber(text) {
  const time = /^(−?)(?:([\d,]+) h )?(\d+) min(?: (\d+) s)?$/.exec(text);
  if (time) return readTime(time);
  const found = /^(−?)([\d,]+(?:\.\d+)?)(?:e([-+]\d+))? ?([a-zA-Zµ%]*)(\/s)?$/.exec(text);
  if (!found || !(found[4] in sizes)) return null;
  const [, sign, digits, exponent, unit] = found;
  const decimals = digits.split(".")[1]?.length ?? 0;
  const scale = sizes[unit] * 10 ** Number(exponent ?? 0) * (sign ? -1 : 1);
  return { value: Number(digits.replaceAll(",", "")) * scale, precision: Math.abs(scale) * 10 ** -decimals * 0.501 };
}

/** A time such as "3 h 20 min" or "2 min 5 s", of which the last unit is rounded. */
function readTime([, sign, hours, minutes, seconds]) {
  const value = Number(hours?.replaceAll(",", "") ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  return { value: sign ? -value : value, precision: seconds === undefined ? 30.03 : 0.501 };
}

/** All numbers that a view shows with their exact value: key numbers, and cells of tables. */
export function shownNumbers(page) {
  return page.evaluate(() => {
    const numbers = [...document.querySelectorAll("main data[value]")].map((element) => ({ text: element.textContent, exact: element.value }));
    for (const cell of document.querySelectorAll("main td.numeric")) {
      if (cell.closest("tr").style.visibility === "hidden" || !cell.title) continue;
      numbers.push({ text: cell.textContent, exact: cell.title.split(" ")[0] });
    }
    return numbers.filter(({ exact }) => exact !== "").map(({ text, exact }) => ({ text, exact: Number(exact) }));
  });
}
