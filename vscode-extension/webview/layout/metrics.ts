/** Sizes that the layout and the drawing agree upon. */

/** Height of the title of an open box. */
export const HEADER = 30;
/** Between the border of an open box and what is in it. */
export const PADDING = 18;
/** Between two boxes side by side. */
export const NODE_GAP = 26;
/** Between two lines side by side. */
export const LINE_GAP = 14;
/** Half of what is between two rows, without the labels in between. */
export const RANK_GAP = 17;
/** Height of the label of a line. */
export const LABEL_HEIGHT = 14;
/** Between the points where lines meet the same border, at most. */
export const PORT_GAP = 16;
