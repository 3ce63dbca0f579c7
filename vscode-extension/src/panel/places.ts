/** Which expressions of a drawing are around a cursor. */

import type { Place, Position, Range } from "../protocol";

/**
 * The smallest ranges around the cursor of a file, by their index; where it is in none, those that start in its line.
 *
 * One expression can be in the list several times.
 */
export function placesAt(
  places: readonly (Place | null)[],
  isHere: (uri: string) => boolean,
  cursor: Position,
): number[] {
  const here = places.flatMap((place, index) =>
    place !== null && isHere(place.uri) ? [{ range: place.range, index }] : [],
  );
  const around = here.filter(({ range }) => contains(range, cursor));
  const smallest = around.reduce<Range | undefined>(
    (best, { range }) => (best === undefined || isWithin(range, best) ? range : best),
    undefined,
  );
  const found =
    smallest === undefined
      ? here.filter(({ range }) => range.start.line === cursor.line)
      : around.filter(({ range }) => same(range, smallest));
  return found.map(({ index }) => index);
}

function contains(range: Range, at: Position): boolean {
  return compare(range.start, at) <= 0 && compare(at, range.end) <= 0;
}

function isWithin(range: Range, other: Range): boolean {
  return compare(other.start, range.start) <= 0 && compare(range.end, other.end) <= 0;
}

function same(range: Range, other: Range): boolean {
  return compare(range.start, other.start) === 0 && compare(range.end, other.end) === 0;
}

function compare(one: Position, other: Position): number {
  return one.line - other.line || one.character - other.character;
}
