/** The page put together: what comes from the extension goes to the graph, what the user does to the extension. */

import type { Choice, SavedState, ToPage } from "../src/panel/messages";
import type { GraphReply, Place } from "../src/protocol";
import { control } from "./controls";
import { Details } from "./details";
import { Explorer } from "./explorer";
import type { Host } from "./host";
import { WHOLE, type Child } from "./model/child";
import type { HeatId } from "./model/heat";
import type { Keys } from "./model/view";
import { pngOf, svgOf } from "./pictures";
import { Stage } from "./stage";
import { Blank, Remarks } from "./ui/blank";
import { h } from "./ui/dom";
import type { Export } from "./ui/exportMenu";
import { Help } from "./ui/help";
import { brokenNotice, noticeOf, remarksOf, slowRemark, undrawnNotice, WAITING, type Remark } from "./ui/notices";
import { SearchBox } from "./ui/searchBox";
import { Toolbar } from "./ui/toolbar";

const NOTHING_OPEN: Keys = { open: [], unrolled: [] };

/** One graph at a time. */
export class GraphPage {
  readonly #stage = new Stage(() => this.#explorer.keepSelected());
  readonly #explorer: Explorer;
  readonly #toolbar: Toolbar;
  readonly #search: SearchBox;
  readonly #details: Details;
  readonly #help = new Help();
  readonly #blank: Blank;
  readonly #remarks: Remarks;
  readonly #progress = h("div", { class: "progress", role: "progressbar", "aria-label": "Working", hidden: true });
  #reply: GraphReply | undefined;
  #heat: HeatId = "none";
  /** What was drawn last; it comes back as it was, even if there was no graph for a while. */
  #shown: Choice | undefined;
  #keys: Keys = NOTHING_OPEN;
  #slow: Remark | undefined;
  /** The one that the user chose. */
  #example: number | undefined;

  constructor(
    root: HTMLElement,
    private readonly host: Host,
    worker: string,
  ) {
    this.#explorer = new Explorer(this.#stage, worker, {
      selected: (child) => this.#details.show(child),
      busy: (busy) => this.#setBusy(busy),
      opened: () => {
        this.#keys = this.#explorer.view?.keys() ?? this.#keys;
        this.#save();
      },
      failed: (message) => this.#blank.show(undrawnNotice(message)),
      withoutWorker: (reason) => {
        this.#slow = slowRemark(reason);
        this.#remark();
      },
    });
    const showPlace = (): void => this.#reveal(this.#reply?.failure?.place ?? undefined, true);
    this.#blank = new Blank((action) => host.post({ type: "act", action }), showPlace);
    this.#remarks = new Remarks((node) => this.#explorer.goTo(node), showPlace);
    this.#toolbar = new Toolbar({
      chooseName: (name) => this.#choose({ name }),
      chooseLevel: (level) => this.#choose({ level }),
      chooseExample: (example) => {
        this.#example = example;
        this.#choose({ example });
      },
      chooseHeat: (heat) => this.#warm(heat),
      expandAll: () => this.#explorer.openAll(),
      collapseAll: () => this.#explorer.closeAll(),
      fit: () => this.#explorer.fit(),
      zoom: (factor) => this.#stage.camera.zoom(factor),
      search: () => this.#search.open(),
      help: () => this.#help.toggle(),
      save: (what) => this.#export(what),
    });
    this.#search = new SearchBox({
      look: (query) => this.#explorer.search(query),
      go: (hit) => this.#explorer.goToHit(hit),
      close: () => {
        this.#explorer.search("");
        this.#stage.canvas.focus();
      },
    });
    this.#details = new Details(this.#stage, this.#explorer, (place) => this.#reveal(place, false));
    this.#stage.element.append(this.#progress, this.#search.element, this.#blank.element);
    this.#setBusy(true);
    root.append(
      this.#toolbar.element,
      this.#remarks.element,
      h("main", { class: "main" }, this.#stage.element, this.#details.element),
      this.#details.spoken,
      this.#help.element,
    );
    this.#listen();
    this.#blank.show(WAITING);
    this.#restore(host.saved);
    this.#stage.warm(this.#heat);
    host.listen((message) => this.#receive(message));
    host.post({ type: "ready" });
  }

  #receive(message: ToPage): void {
    switch (message.type) {
      case "graph":
        this.#show(JSON.parse(message.reply) as GraphReply, message.trusted);
        break;
      case "pending":
        this.#setBusy(true);
        this.#blank.show(this.#explorer.view === undefined ? WAITING : undefined);
        this.#toolbar.say(this.#explorer.view === undefined ? "" : "Updating…");
        break;
      case "stale":
        this.#stage.element.classList.add("stale");
        this.#toolbar.say("Updating…");
        break;
      case "error":
        this.#settle();
        this.#explorer.clear();
        this.#reply = undefined;
        this.#remark();
        this.#blank.show(brokenNotice(message.message));
        break;
      case "cursor":
        this.#explorer.follow(message.places);
        break;
    }
  }

  #show(reply: GraphReply, trusted: boolean): void {
    this.#reply = reply;
    this.#settle();
    this.#toolbar.show(reply, this.#heat);
    const notice = noticeOf(reply, trusted);
    this.#blank.show(notice);
    this.#remark();
    if (notice !== undefined || reply.drawing === null) {
      this.#explorer.clear();
      this.#details.say(notice === undefined ? "" : `${notice.title}. ${notice.text}`);
    } else {
      const { uri, name, level } = reply;
      const sameClass = this.#shown?.uri === uri && this.#shown.name === name;
      const keep = sameClass && this.#shown?.level === level;
      this.#keys = sameClass ? this.#keys : NOTHING_OPEN;
      this.#shown = { uri, name, level };
      this.#explorer.show(reply.drawing, keep, this.#keys);
      this.#search.renew();
    }
    this.#save();
  }

  #remark(): void {
    const drawing = this.#reply?.drawing;
    const own = this.#reply && drawing ? remarksOf(this.#reply, drawing) : [];
    this.#remarks.show(this.#slow === undefined ? own : [...own, this.#slow], this.#reply?.failure?.place != null);
  }

  /** What is shown is what there is. */
  #settle(): void {
    this.#stage.element.classList.remove("stale");
    this.#toolbar.say("");
    this.#setBusy(false);
  }

  #setBusy(busy: boolean): void {
    this.#progress.hidden = !busy;
    this.#stage.element.setAttribute("aria-busy", String(busy));
  }

  #choose(choice: Omit<Choice, "uri">): void {
    const reply = this.#reply;
    if (reply !== undefined) {
      const { uri, name, level } = reply;
      this.#example = choice.name === undefined ? this.#example : undefined;
      this.host.post({ type: "choose", choice: { uri, name, level, example: this.#example, ...choice } });
    }
  }

  #warm(heat: HeatId): void {
    this.#heat = heat;
    this.#stage.warm(heat);
    this.#save();
  }

  #export(what: Export): void {
    const { format } = what;
    if (format === "svg" || format === "png") {
      const data = format === "svg" ? svgOf(this.#stage, what.whole) : pngOf(this.#stage, what.whole);
      this.host.post({ type: "save", format, data });
    } else {
      this.host.post({ type: "export", format });
    }
  }

  #reveal(place: Place | undefined, focus: boolean): void {
    if (place !== undefined) {
      this.host.post({ type: "reveal", place, focus });
    }
  }

  #revealChild(child: Child | undefined, focus: boolean): void {
    if (child !== undefined && child !== WHOLE) {
      this.#reveal(this.#explorer.model?.place(child), focus);
    }
  }

  #escape(): void {
    if (this.#search.isOpen) {
      this.#search.close();
    } else {
      this.#explorer.select(undefined);
    }
  }

  #listen(): void {
    const explorer = this.#explorer;
    control(this.#stage, explorer, {
      reveal: (child, focus) => this.#revealChild(child, focus),
      details: () => this.#details.toggle(),
      escape: () => this.#escape(),
    });
    window.addEventListener("keydown", (event) => this.#anywhere(event), { capture: true });
    new MutationObserver(() => {
      this.#stage.restyle();
      explorer.remeasure();
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  /** Keys that do the same wherever the focus is. */
  #anywhere(event: KeyboardEvent): void {
    const control = event.ctrlKey || event.metaKey;
    const typing = event.target instanceof HTMLInputElement;
    if (control && event.key.toLowerCase() === "f") {
      this.#search.open();
    } else if (event.key === "?" && !typing) {
      this.#help.toggle();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // or the editor opens its own search as well
  }

  #restore(saved: SavedState | undefined): void {
    if (saved !== undefined) {
      const { uri, name } = saved.choice;
      this.#shown = { uri, name }; // and no level: the camera has to find its place
      this.#keys = saved;
      this.#example = saved.choice.example;
      this.#heat = saved.heat as HeatId;
    }
  }

  #save(): void {
    const reply = this.#reply;
    if (reply !== undefined) {
      const { uri, name, level } = reply;
      const choice = { uri, name, level, example: this.#example };
      this.host.save({ choice, ...this.#keys, heat: this.#heat });
    }
  }
}
