/** Keys on the canvas. */

/** What keys do. */
export interface KeyActions {
  readonly next: () => void;
  readonly previous: () => void;
  readonly left: () => void;
  readonly right: () => void;
  readonly inside: () => void;
  readonly outside: () => void;
  readonly toggle: () => void;
  readonly unroll: () => void;
  readonly reveal: (focus: boolean) => void;
  readonly expandAll: () => void;
  readonly collapseAll: () => void;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  readonly details: () => void;
  readonly overview: () => void;
  readonly escape: () => void;
}

type Act = (actions: KeyActions) => void;

const PLAIN: Readonly<Record<string, Act>> = {
  ArrowDown: (actions) => actions.next(),
  ArrowUp: (actions) => actions.previous(),
  ArrowLeft: (actions) => actions.left(),
  ArrowRight: (actions) => actions.right(),
  Enter: (actions) => actions.toggle(),
  " ": (actions) => actions.reveal(false),
  u: (actions) => actions.unroll(),
  e: (actions) => actions.expandAll(),
  c: (actions) => actions.collapseAll(),
  f: (actions) => actions.fit(),
  "0": (actions) => actions.fit(),
  "+": (actions) => actions.zoom(1.25),
  "=": (actions) => actions.zoom(1.25),
  "-": (actions) => actions.zoom(0.8),
  i: (actions) => actions.details(),
  m: (actions) => actions.overview(),
  Escape: (actions) => actions.escape(),
};

const SHIFTED: Readonly<Record<string, Act>> = {
  ArrowDown: (actions) => actions.inside(),
  ArrowUp: (actions) => actions.outside(),
};

const WITH_CONTROL: Readonly<Record<string, Act>> = { Enter: (actions) => actions.reveal(true) };

/** The letters do what they do in upper case too. */
export function onKey(event: KeyboardEvent, actions: KeyActions): void {
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = control ? WITH_CONTROL[key] : ((event.shiftKey ? SHIFTED[key] : undefined) ?? PLAIN[key]);
  if (act !== undefined && !event.altKey) {
    event.preventDefault();
    event.stopPropagation(); // or the editor takes it for a key of its own
    act(actions);
  }
}
