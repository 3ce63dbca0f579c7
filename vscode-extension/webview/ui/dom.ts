/** Makes elements. */

type Content = Node | string | undefined;

/** Attributes by their names; functions are listeners, by `on` and the event's name; `undefined` and `false`: absent. */
export type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

/** An element of HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...content.filter((one) => one !== undefined));
  return element;
}

/** A drawing of 16 by 16: strokes along a path. */
export function icon(path: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const line = document.createElementNS(space, "path");
  set(svg, { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon" });
  set(line, { d: path });
  svg.append(line);
  return svg;
}

/** Replace what is in an element. */
export function fill(element: Element, ...content: Content[]): void {
  element.replaceChildren(...content.filter((one) => one !== undefined));
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}
