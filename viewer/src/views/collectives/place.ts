/**
 * The source line and function of a site: "heat.c:53 (main)" of "/opt/heat(main+0x1f) [0xd40] /src/heat.c:53". Locations
 * of another form are shown as they are.
 */
export function placeOf({ location }: { location: string }): string {
  const found = /^[^(]*\((.*)\+0x[0-9a-f]+\) \[0x[0-9a-f]+\](?: (?:.*\/)?([^/]+))?$/.exec(location);
  if (!found) return location;
  const [, name, line] = found;
  return line ? `${line} (${name})` : name!;
}
