/** Puts things side by side, as near as possible to where they want to be. */

import { at } from "../model/list";

/** Middles of things with these widths, in this order, that do not overlap; the sum of squared moves is the smallest. */
export function spread(wanted: readonly number[], widths: readonly number[]): number[] {
  // Without the widths to their left, places need only not to decrease: neighbours that would are put together.
  const groups: { sum: number; count: number }[] = [];
  let left = 0;
  const offsets = widths.map((width) => {
    const middle = left + width / 2;
    left += width;
    return middle;
  });
  wanted.forEach((place, number) => {
    let group = { sum: place - at(offsets, number), count: 1 };
    for (let last = groups.at(-1); last && last.sum / last.count > group.sum / group.count; last = groups.at(-1)) {
      group = { sum: last.sum + group.sum, count: last.count + group.count };
      groups.pop();
    }
    groups.push(group);
  });
  const places = groups.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  return places.map((place, number) => place + at(offsets, number));
}
