import type { Report } from "./report";

/** Decodes the text of the data element: JSON, compressed by gzip, in base64. */
export async function decodeReport(base64: string): Promise<Report> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return decompressReport(new Blob([bytes]));
}

/** Decodes JSON that is compressed by gzip. */
export async function decompressReport(bytes: Blob): Promise<Report> {
  const stream = bytes.stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as Report;
}
