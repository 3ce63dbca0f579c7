/** The numbers of the boxes of a drawing: node `n` is `n`, scope `s` is `-s - 1`. */

/** A box of a drawing. The whole, which is nobody's child, has a number too: {@link WHOLE}. */
export type Child = number;

/** The number of the first scope; among the ends of an edge the same number means the border. */
export const WHOLE: Child = -1;

/** The scope that a child stands for, and the other way round. */
export function flip(number: number): number {
  return -number - 1;
}

/** Whether a child is a box that opens. */
export function isScope(child: Child): boolean {
  return child < 0;
}
