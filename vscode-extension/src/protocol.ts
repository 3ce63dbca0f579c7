/**
 * What the server and the extension send one another.
 *
 * Generated from `fx_lsp/server/protocol.py` and `protocol_examples.py`: do not edit, run
 * `pytest tests/generated --regen`.
 */

/** Error of a request whose files were edited while it ran: to be asked again after the next `fx/idle`. */
export const CONTENT_MODIFIED = -32801;

/** Stands for the border of the scope itself, as the end of an edge: the first scope is never a child. */
export const BORDER = -1;

/** As in LSP. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** As in LSP. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A range in a file, as LSP's `Location`. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
}

/** Which graph: of `fx/graph`, `fx/code` and `fx/export`. */
export interface GraphParams {
  readonly textDocument: TextDocument;
  /** Qualified name of a class of the file; without it the class around or nearest to `line`. */
  readonly name?: string | null | undefined;
  /** As LSP counts. */
  readonly line?: number | null | undefined;
  /** Id of a level; `module` when missing. */
  readonly level?: string | null | undefined;
  /** Number of the example in the reply's list; the first that reaches the class when missing. */
  readonly example?: number | null | undefined;
}

/** As LSP's `TextDocumentIdentifier`. */
export interface TextDocument {
  readonly uri: string;
}

/** A level that there is. */
export interface GraphLevel {
  readonly id: string;
  readonly title: string;
}

/** A call that runs through the class. */
export interface GraphExample {
  /** The call as it was run. */
  readonly label: string;
  /** One of `fx_lsp.model.example.ORIGINS`. */
  readonly origin: string;
  /** `traced`, `partial` or `failed`. */
  readonly status: string;
}

/** Why there is only half a graph, or none. */
export interface GraphFailure {
  readonly message: string;
  /** The expression that failed. */
  readonly place: Place | null;
  /** The node that failed, in `Drawing.nodes`; -1 when none did. */
  readonly node: number;
}

/** `fx_lsp.analysis.graph.drawing.Drawing` with its spans as the client counts them. */
export interface PlacedDrawing {
  readonly level: string;
  readonly name: string;
  readonly nodes: readonly DrawnNode[];
  /** The first is the whole. */
  readonly scopes: readonly DrawnScope[];
  readonly values: readonly DrawnValue[];
  readonly places: readonly Place[];
  /** Operations left out because there were too many. */
  readonly omitted: number;
  /** Values that came from code which torch tells nothing of. */
  readonly unseen: number;
}

/** A box that does not open. */
export interface DrawnNode {
  /** What is written on it: `linear`, `Conv2d`, `+`. */
  readonly title: string;
  /** Its name in the FX graph. */
  readonly name: string;
  readonly op: string;
  readonly target: string;
  readonly code: string;
  /** `input`, `output`, `operation`, `constant` or `reference`. */
  readonly role: string;
  /** Values that it reads. */
  readonly inputs: readonly number[];
  /** What it makes; -1: nothing with a tensor. */
  readonly value: number;
  readonly scope: number;
  /** Index in `Drawing.spans`; -1: not in the workspace. */
  readonly place: number;
  readonly parameters: number;
  readonly flops: number;
  readonly bytes: number;
  readonly held: readonly Held[];
  /** The node that a reference stands for. */
  readonly origin: number;
  readonly failed: boolean;
}

/** A parameter or buffer that a node reads. */
export interface Held {
  /** `h.0.attn.c_attn.weight`. */
  readonly name: string;
  readonly value: number;
  readonly parameter: boolean;
}

/** A box that opens. */
export interface DrawnScope {
  /** `module`; `repeat`: equal neighbours, shown once; `iteration`: one of them where they are several boxes. */
  readonly form: string;
  /** Name of the class; of a repeat what its members have in common. */
  readonly title: string;
  /** `h.0.attn`; of a repeat `h.0 … h.11`. */
  readonly path: string;
  /** Unique in the drawing and the same after an edit elsewhere: what was open stays open. */
  readonly key: string;
  /** -1 for the first. */
  readonly parent: number;
  /** Number of members of a repeat, else 1. */
  readonly times: number;
  /** The expression that calls it; -1: not in the workspace. */
  readonly place: number;
  /** Its `def forward`; -1: not in the workspace. */
  readonly definition: number;
  /** Values that come in, one for each entry. */
  readonly inputs: readonly number[];
  /** Values that leave, one for each exit. */
  readonly outputs: readonly number[];
  /** In order of execution. */
  readonly children: readonly number[];
  readonly edges: readonly DrawnEdge[];
  /** Operations below, of all members. */
  readonly operations: number;
  readonly parameters: number;
  readonly flops: number;
  readonly bytes: number;
  /** What raised is inside. */
  readonly failed: boolean;
}

/** A value on its way from child to child, or over the border of the scope. */
export interface DrawnEdge {
  /** Child, or `BORDER`: it comes in through the entry number `exit`. */
  readonly source: number;
  /** Child, or `BORDER`: it leaves through the exit number `entry`. */
  readonly target: number;
  readonly value: number;
  /** Number of the source's exit when that is a scope, of this scope's entry when it is `BORDER`. */
  readonly exit: number;
  /** Number of the target's entry when that is a scope, of this scope's exit when it is `BORDER`. */
  readonly entry: number;
}

/** A value that edges carry. */
export interface DrawnValue {
  /** `f32[2, 64, 768]`; `(f32[2, 3], f32[2])`. */
  readonly label: string;
  /** With the sizes of the run. */
  readonly concrete: string;
  /** Of a single tensor, else empty. */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly device: string;
  /** Empty when contiguous. */
  readonly stride: readonly number[];
}

/** Answer of `fx/graph`. */
export interface GraphReply {
  /**
   * `graph`: there is one, up to a failure when there was one; `empty`: no operation ran; `failed`: it failed before
   * the first operation; `none`: no class or no call to show; `off`: running is switched off, or the folder is not
   * trusted; `unavailable`: nothing can be run, for want of torch or of an interpreter.
   */
  readonly state: string;
  /** What is the matter and what to do about it; empty when all is well. */
  readonly message: string;
  readonly uri: string;
  /** Qualified name of the class. */
  readonly name: string;
  /** Classes of the file. */
  readonly names: readonly string[];
  readonly level: string;
  readonly levels: readonly GraphLevel[];
  /** Number of the example in `examples`; -1 when there is none. */
  readonly example: number;
  readonly examples: readonly GraphExample[];
  /** `fake` or `real`; empty when nothing ran. */
  readonly engine: string;
  readonly failure: GraphFailure | null;
  readonly drawing: PlacedDrawing | null;
}

/** A line of generated code and where it comes from. */
export interface CodeLink {
  readonly line: number;
  readonly place: Place;
}

/** Answer of `fx/code`: the graph as Python. */
export interface CodeReply {
  readonly state: string;
  readonly message: string;
  readonly uri: string;
  readonly name: string;
  readonly level: string;
  readonly example: number;
  readonly text: string;
  readonly links: readonly CodeLink[];
}

/** What `fx/export` asks for. */
export interface ExportParams extends GraphParams {
  /** `dot`, `html`, `json`, `py` or `svg`. */
  readonly format?: string | undefined;
}

/** Answer of `fx/export`. */
export interface ExportReply {
  readonly state: string;
  readonly message: string;
  readonly text: string;
}

/** What `fx/rewriteGraph` asks for. */
export interface RewriteGraphParams extends GraphParams {
  /** Id of a rewrite of graphs; the first that there is when missing. */
  readonly rule?: string | null | undefined;
}

/** A rewrite of graphs that there is. */
export interface GraphRuleItem {
  readonly id: string;
  readonly title: string;
}

/** Answer of `fx/rewriteGraph`: both graphs as files of Python that need torch alone. */
export interface RewriteGraphReply {
  /** As in `GraphReply`; `graph`: it is done, and was compared with the model. */
  readonly state: string;
  /** Why it is not done; empty when it is. */
  readonly message: string;
  readonly uri: string;
  readonly name: string;
  /** The rewrite that was asked for. */
  readonly rule: GraphRuleItem | null;
  /** All that there are, as far as is known. */
  readonly rules: readonly GraphRuleItem[];
  readonly before: string;
  /** Loads the state dict of the original as it is. */
  readonly after: string;
  /** What was done, and what was measured, in a sentence. */
  readonly says: string;
  /** The expression that stands in the way. */
  readonly place: Place | null;
}

/** What the notification `fx/status` says. */
export interface Status {
  /** `starting`, `tracing`, `idle`, `off` (running is switched off), `untrusted` or `error`. */
  readonly state: string;
  /** Runs that ended since the server was idle. */
  readonly done: number;
  /** Runs asked for since then. */
  readonly total: number;
  /** For `error` and `untrusted`: what is the matter and what to do. */
  readonly message: string;
  /** What the sandbox lacks, in a sentence; empty when it is whole, and while no worker has started. */
  readonly sandbox: string;
  /** The sandbox of the workers that run; of a layer that differs the worst. */
  readonly layers: readonly SandboxLayer[];
}

/** One layer of the sandbox. */
export interface SandboxLayer {
  readonly name: string;
  /** `active`, `missing` or `off`. */
  readonly status: string;
  /** Why it is missing or off. */
  readonly why: string;
}

/** Of the notification `fx/trust`. */
export interface TrustParams {
  /** Whether the user trusts the workspace, from now on. */
  readonly trusted: boolean;
}

/** Answer of `fx/doctor`. */
export interface DoctorReply {
  /** Markdown. */
  readonly text: string;
}

/** What `fx/examples` asks for. */
export interface ExamplesParams {
  readonly textDocument: TextDocument;
  /** As LSP counts: with it the reply has the calls to choose from there. */
  readonly line?: number | null | undefined;
}

/** An example that was run for a file. */
export interface ExampleRun {
  /** URI of the file in whose namespace it was run. */
  readonly scope: string;
  /** Statements before it. */
  readonly setup: string;
  readonly written: string;
  /** As it was run. */
  readonly call: string;
  /** Sizes of its named dims. */
  readonly dims: Readonly<Record<string, number>>;
  /** One of `fx_lsp.model.example.ORIGINS`. */
  readonly origin: string;
  /** Qualified name of the class that it is for; empty when nobody said. */
  readonly target: string;
  /** Where it is written. */
  readonly location: Place | null;
  /** `fake` or `real`; empty when nothing ran. */
  readonly engine: string;
  /** How long it took. */
  readonly ms: number;
  /** `traced`, `partial` or `failed`. */
  readonly status: string;
  /** Whether its shapes are shown first. */
  readonly shown: boolean;
  /** Why it failed. */
  readonly reason: string | null;
}

/** One of several calls of the same lines in one example. */
export interface LineCall {
  /** The class or function, or the name that holds the value. */
  readonly of: string;
  readonly label: string;
  /** Paths of the modules that it was in. */
  readonly modules: readonly string[];
  readonly shown: boolean;
}

/** Answer of `fx/examples`; nothing for what is no open document. */
export interface ExamplesReply {
  /** Whether more may be found. */
  readonly pending: boolean;
  /** Whether some of it is of an older text. */
  readonly stale: boolean;
  readonly examples: readonly ExampleRun[];
  /** Those of the class and of the names of the line that was asked about. */
  readonly calls: readonly LineCall[];
  /** What the user chose of the file: to be given back as it is at the next start, see `fx_lsp.server.chosen`. */
  readonly chosen: unknown;
}
