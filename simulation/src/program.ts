/** Types only: generated workflows as data. */

/** How the body of a step behaves, by the attempts of it that have ended. */
export interface BodyPlan {
  /** Attempts that throw before one returns; null: every one throws. */
  readonly fails: number | null;
  /** What a failing attempt does: throws, throws what must not be retried, or outlives the step's timeout. */
  readonly how: "throw" | "final" | "hang";
  readonly durationMs: number;
}

/** How what a step did is undone, retried by itself. */
export interface UndoPlan {
  readonly body: BodyPlan;
  readonly retries: number;
  readonly delayMs: number;
  /** It tells of its progress, as it begins and as it ends. @default false */
  readonly tells?: boolean;
}

export interface DoNode {
  readonly kind: "do";
  readonly name: string;
  readonly body: BodyPlan;
  readonly retries: number;
  readonly delayMs: number;
  readonly timeoutMs: number;
  /** Without: nothing undoes it. */
  readonly undo?: UndoPlan;
  /** Its body tells of its progress, as it begins and as it ends. @default false */
  readonly tells?: boolean;
  /** Awaits between the step's promise and its caller. */
  readonly depth: number;
}

export interface SleepNode {
  readonly kind: "sleep";
  readonly name: string;
  readonly ms: number;
  readonly depth: number;
}

export interface WaitNode {
  readonly kind: "wait";
  readonly name: string;
  readonly type: string;
  readonly timeoutMs: number;
  readonly since: "run" | "wait";
  /** A time-out is thrown instead of being null. */
  readonly throws: boolean;
  readonly depth: number;
}

/** A wait for a batch of events of some types. */
export interface ReceiveNode {
  readonly kind: "receive";
  readonly name: string;
  readonly types: readonly string[];
  readonly min: number;
  readonly count: number;
  readonly timeoutMs: number;
  /** Author code answers each event of it. */
  readonly replies: boolean;
  readonly depth: number;
}

/** A step that creates an instance of the child workflow. */
export interface ChildNode {
  readonly kind: "child";
  readonly name: string;
  readonly depth: number;
}

/** What becomes of a child that its parent waits for no more. */
export type OnParentEnd = "abandon" | "terminate" | "rollback";

/** A step that starts an instance of another workflow and waits for its end. */
export interface InvokeNode {
  readonly kind: "invoke";
  readonly name: string;
  readonly workflow: string;
  /** The child's id, which another step may have taken; null: one that follows from the step. */
  readonly ownId: string | null;
  readonly onParentEnd: OnParentEnd;
  /** The child is to be over so long after its creation. @default no deadline */
  readonly deadlineMs?: number;
  readonly depth: number;
}

/** When its token is used, after it was first mailed. */
export interface CallbackUse {
  readonly afterMs: number;
  /** The token is another one than was mailed. */
  readonly isForged: boolean;
}

/** A wait for a callback: author code mails the token, then asks for the payload. */
export interface CallbackNode {
  readonly kind: "callback";
  readonly name: string;
  readonly timeoutMs: number;
  readonly uses: readonly CallbackUse[];
  readonly depth: number;
}

/** A wait for a topic's next message. */
export interface TopicNode {
  readonly kind: "topic";
  readonly name: string;
  readonly topic: string;
  /** `created`: messages count since the instance was created; `ever`: all that the topic has. */
  readonly since: "now" | "created" | "ever";
  readonly timeoutMs: number;
  readonly depth: number;
}

/** A step that emits to the topic of its name. */
export interface EmitNode {
  readonly kind: "emit";
  readonly name: string;
  /** The message's own id, which another may have; null: none. */
  readonly messageId: string | null;
  /** Author code does not await it. @default false */
  readonly isAside?: boolean;
  readonly depth: number;
}

/** An entry of progress between steps. */
export interface ProgressNode {
  readonly kind: "progress";
  readonly name: "progress";
  /** Author code does not await it. @default false */
  readonly isAside?: boolean;
  readonly depth: number;
}

export type Leaf =
  | ProgressNode
  | DoNode
  | SleepNode
  | WaitNode
  | ReceiveNode
  | ChildNode
  | InvokeNode
  | CallbackNode
  | TopicNode
  | EmitNode;

/** Branches at once. */
export interface BranchNode {
  readonly kind: "all" | "allSettled" | "race" | "any";
  readonly name: string;
  readonly branches: readonly Program[];
  readonly depth: number;
}

/** A scope of the engine: each branch has steps of its own. `first`: a race that settles with the first end. */
export interface ScopeNode {
  readonly kind: "scope";
  readonly of: "join" | "race" | "first" | "map" | "try";
  readonly name: string;
  /** Of a `try` one; of a `map` one for each item. */
  readonly branches: readonly Program[];
  /** Of a `map`. */
  readonly concurrency: number;
  /** Of a `map`: failures that are tolerated, and then all are given as values; null: none. */
  readonly tolerate: number | null;
  readonly depth: number;
}

/** A loop of the engine, each iteration at a place of its own. */
export interface StepLoopNode {
  readonly kind: "stepLoop";
  readonly name: string;
  readonly times: number;
  readonly commitEvery: number;
  readonly keep: number;
  readonly nodes: Program;
}

/** The same nodes again and again, with the same names. */
export interface LoopNode {
  readonly kind: "loop";
  readonly name: string;
  readonly times: number;
  /** By `for await` over a generator instead of `for`. */
  readonly iterates: boolean;
  readonly nodes: Program;
}

export interface TryNode {
  readonly kind: "try";
  readonly name: string;
  readonly nodes: Program;
}

/** `finally`: the last nodes run whatever the first ones come to. */
export interface FinallyNode {
  readonly kind: "finally";
  readonly name: string;
  readonly nodes: Program;
  readonly last: Program;
}

/** Nodes that go on though the instance is cancelled. */
export interface ShieldedNode {
  readonly kind: "shielded";
  readonly name: string;
  readonly nodes: Program;
}

/** A step whose promise is awaited only after other nodes. */
export interface LaterNode {
  readonly kind: "later";
  readonly name: string;
  readonly first: Leaf;
  readonly nodes: Program;
}

/** Author code that ends its process, the first so many times that it is reached. */
export interface PoisonNode {
  readonly kind: "poison";
  readonly name: string;
  readonly times: number;
}

/** Author code throws a RollbackError. */
export interface RollbackNode {
  readonly kind: "rollback";
  readonly name: string;
}

/** Author code asks which version of it a run is to follow. */
export interface VersionNode {
  readonly kind: "version";
  readonly name: string;
  readonly latest: number;
}

export type Node =
  | Leaf
  | BranchNode
  | ScopeNode
  | StepLoopNode
  | LoopNode
  | TryNode
  | FinallyNode
  | ShieldedNode
  | LaterNode
  | PoisonNode
  | RollbackNode
  | VersionNode;

/** Nodes one after the other. */
export type Program = readonly Node[];
