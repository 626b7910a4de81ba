import { element } from "../page/dom";

/** Saves a file through the browser, without any network. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = element("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file name made of a title: lower-case words joined by hyphens. */
export function fileName(title: string, extension: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["chart"];
  return `${words.join("-").slice(0, 80)}.${extension}`;
}
