// Tables in columns, without an object per row: what charts offer as CSV and what tables show.

export type Cell = number | string | null;

export interface Column {
  key: string;
  label: string;
  /** Unit of the numbers (see formatNumber); absent for text. */
  unit?: string;
  /** Unit of one row, if the rows have different units. */
  unitOf?(row: number): string;
  /** Shows a bar behind the number; the value of a full bar. */
  bar?: number;
  get(row: number): Cell;
}

export interface DataTable {
  length: number;
  columns: Column[];
}

/** A column of numbers. */
export function numbers(
  key: string,
  label: string,
  unit: string,
  values: ArrayLike<number | null> | ((row: number) => number | null | undefined),
): Column {
  const get = typeof values === "function" ? (row: number) => values(row) ?? null : (row: number) => values[row] ?? null;
  return { key, label, unit, get };
}

/** A column of text. */
export function texts(key: string, label: string, get: (row: number) => Cell): Column {
  return { key, label, get };
}

/** The table as CSV (RFC 4180) with the keys of the columns as header. */
export function toCsv(table: DataTable): string {
  const lines = [table.columns.map((column) => csvField(column.key)).join(",")];
  for (let row = 0; row < table.length; row++) {
    lines.push(table.columns.map((column) => csvField(column.get(row))).join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

function csvField(cell: Cell): string {
  if (cell === null) return "";
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
