/** Paths of the icons, 16 by 16, drawn with strokes. */

export const ICONS = {
  expand: "M3 6V3h3M13 6V3h-3M3 10v3h3M13 10v3h-3M8 6v4M6 8h4",
  collapse: "M6 3v3H3M10 3v3h3M6 13v-3H3M10 13v-3h3M6 8h4",
  fit: "M2.5 5.5v-3h3M13.5 5.5v-3h-3M2.5 10.5v3h3M13.5 10.5v3h-3M5.5 5.5h5v5h-5z",
  zoomIn: "M8 3.5v9M3.5 8h9",
  zoomOut: "M3.5 8h9",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.3 10.3L14 14",
  save: "M8 2.5v7.5M4.8 7L8 10.2L11.2 7M2.5 10.5v3h11v-3",
  help: "M5.8 6.2a2.2 2.2 0 1 1 3.3 1.9c-.8.45-1.1.9-1.1 1.7M8 12v.6",
  close: "M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
  up: "M4 10l4-4l4 4",
  down: "M4 6l4 4l4-4",
  warning: "M8 2.5L14.5 13.5h-13zM8 6.5v3.4M8 11.4v.6",
  info: "M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 1 1 0-12.4M8 7.2v4M8 4.7v.6",
  source: "M9.5 2.5h4v4M13.5 2.5L8 8M6.5 3.5h-3v9h9v-3",
  unroll: "M3 3h10v3H3zM3 8h10M3 11h10M3 13.5h10",
  graph: "M5.5 2h5v3.5h-5zM1.5 10.5h5V14h-5zM9.5 10.5h5V14h-5zM8 5.5V8M4 10.5V8h8v2.5",
} as const;

export type IconName = keyof typeof ICONS;
