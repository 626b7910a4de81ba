import type { Report } from "./report";

/** Decodes the text of the data element: JSON, compressed by gzip, in base64. */
export async function decodeReport(base64: string): Promise<Report> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return decompressReport(bytes);
}

/** Decodes JSON that is compressed by gzip. */
export async function decompressReport(bytes: Uint8Array<ArrayBuffer>): Promise<Report> {
  return JSON.parse(await gunzip(bytes)) as Report;
}

/** Reads the stream chunk by chunk, which takes half the time of `new Response(stream).text()`. */
async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  // Failures are reported by the reader.
  writer.write(bytes).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = stream.readable.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    parts.push(decoder.decode(chunk.value, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join("");
}
