/** The last components of paths: as few as tell the paths apart. */
export function shortNames(paths: string[]): string[] {
  const parts = paths.map((path) => path.replace(/\/+$/, "").split("/"));
  return parts.map((own, i) => {
    for (let count = 1; count < own.length; count++) {
      const name = own.slice(-count).join("/");
      if (parts.every((other, j) => j === i || other.slice(-count).join("/") !== name)) return name;
    }
    return paths[i]!;
  });
}
