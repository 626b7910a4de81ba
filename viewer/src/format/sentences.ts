// Messages of the command as sentences.
import { capital } from "./words";

/**
 * Turns "PLACE: problem [check]; hint" into "PLACE: problem. Hint." Messages that differ only in their place become one
 * sentence with all places.
 */
export function sentencesOf(messages: string[]): string[] {
  const placesOf = new Map<string, string[]>();
  for (const message of messages) {
    const [, place, text] = /^(?:([^;]*?): )?(.*)$/s.exec(message)!;
    placesOf.set(text!, [...(placesOf.get(text!) ?? []), ...(place ? [place] : [])]);
  }
  return [...placesOf].map(([text, places]) => {
    const [problem, ...hints] = text.replace(/ \[[\w-]+\](?=;|$)/, "").split("; ");
    const about = places.length ? `${places.map((place) => (place.includes(" ") ? capital(place) : place)).join(", ")}: ${problem}` : capital(problem!);
    return [about, ...hints.map(capital)].map((sentence) => `${sentence}.`).join(" ");
  });
}
