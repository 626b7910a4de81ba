/**
 * The source line and function of a site: "heat.c:53 (main)" of "/opt/heat(main+0x1f) [0xd40] /src/heat.c:53". If the
 * location states that the line may not be that of the call, the result contains this and the offset. Locations of
 * another form are shown as they are.
 */
export function placeOf({ location }: { location: string }): string {
  const found = /^[^(]*\((.*)(\+0x[0-9a-f]+)\) \[0x[0-9a-f]+\](?: (?:.*\/)?([^/]+?)(?: \((line of [a-z ]+)\))?)?$/.exec(location);
  if (!found) return location;
  const [, name, offset, line, mark] = found;
  if (mark) return `${line} (${name}${offset}, ${mark})`;
  return line ? `${line} (${name})` : name!;
}
