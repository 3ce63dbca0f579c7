/** Access to lists whose indexes come from the drawing itself, and so are right. */

/** The element at an index that exists. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index];
  if (found === undefined) {
    throw new RangeError(`No element ${String(index)} of ${String(list.length)}`);
  }
  return found;
}
