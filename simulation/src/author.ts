/** Plays a program as an author would have written it: promises, loops and `try` over the engine's steps. */
import {
  Loop,
  NonRetryableError,
  RollbackError,
  type StepContext,
  WorkflowError,
  type WorkflowStep,
} from "@escapement/engine";
import type {
  BranchNode,
  CallbackNode,
  DoNode,
  FinallyNode,
  LaterNode,
  Leaf,
  LoopNode,
  Node,
  Program,
  ScopeNode,
  StepLoopNode,
  TryNode,
  UndoPlan,
  VersionNode,
  WaitNode,
} from "./program.ts";
import { isLeaf } from "./walk.ts";

/** What a program asks of the world outside of it. One for each time that author code runs. */
export interface Execution {
  /** Author code has seen something settle. */
  observe(entry: string): void;
  /** With an outcome it has been told the time. @param stepKey empty: before the first outcome */
  tellTime(stepKey: string, at: number): void;
  /** A body starts. @returns how its attempt ends, after the time it takes; may never settle */
  body(node: Bodied, context: StepContext): Promise<"returns" | "throws" | "hangs">;
  /** A body is about to start. */
  begins(kind: BodyKind, context: StepContext): void;
  /** Author code has the token of a callback, and gives it to whom it is for. */
  mail(node: CallbackNode, key: string, token: string): void;
  /** A step is undone. @param isRight whether with what the step gave */
  undoes(isRight: boolean, context: StepContext): void;
  /** Creates an instance of the child workflow. */
  create(context: StepContext): Promise<unknown>;
  /** Resolves unless it ends the process. */
  poison(name: string, times: number): Promise<void>;
}

/** Whose body it is. `shielded`: of a step that goes on though the instance is cancelled; `undoable`: of one that has an undo. */
export type BodyKind = "plain" | "undoable" | "shielded" | "undo";

/** A step, or what undoes one. */
export type Bodied = Pick<DoNode, "body" | "retries">;

interface Scope {
  readonly step: WorkflowStep;
  readonly execution: Execution;
  /** Calls so far, by name. */
  readonly counts: Map<string, number>;
  /** What keys of the steps begin with. */
  readonly prefix: string;
  readonly isShielded: boolean;
}

/** Runs a program. @returns what its nodes came to */
export function playProgram(
  program: Program,
  step: WorkflowStep,
  execution: Execution,
): Promise<unknown> {
  execution.tellTime("", step.now().getTime());
  const outermost = { step, execution, counts: new Map(), prefix: "", isShielded: false };
  return playAll(program, outermost);
}

async function playAll(program: Program, scope: Scope): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const node of program) values.push((await play(node, scope)) ?? null);
  return values;
}

async function play(node: Node, scope: Scope): Promise<unknown> {
  const observe = observeIn(scope);
  if (isLeaf(node)) {
    const value = await playLeaf(node, scope);
    observe(`${node.name} awaited`);
    return value;
  }
  switch (node.kind) {
    case "poison":
      await scope.execution.poison(node.name, node.times);
      return null;
    case "rollback":
      throw new RollbackError(node.name);
    case "version":
      return playVersion(node, scope);
    case "loop":
      return playLoop(node, scope);
    case "try":
      return playTry(node, scope);
    case "finally":
      return playFinally(node, scope);
    case "shielded":
      return playAll(node.nodes, { ...scope, step: scope.step.shielded, isShielded: true });
    case "later":
      return playLater(node, scope);
    case "scope": {
      const value = await deeper(playScope(node, scope), node.depth);
      observe(`${node.name} over`);
      return value;
    }
    case "stepLoop": {
      const value = await playStepLoop(node, scope);
      observe(`${node.name} over`);
      return value;
    }
    case "all":
    case "allSettled":
    case "race":
    case "any": {
      const value = await deeper(playBranches(node, scope), node.depth);
      observe(`${node.name} over`);
      return value;
    }
  }
}

function playVersion({ name, latest }: VersionNode, scope: Scope): number {
  const label = countCall(name, scope);
  const version = scope.step.version(name, latest);
  // A loop that goes on from its position asks before what came before the position is told elsewhere.
  if (!scope.prefix.includes("/~")) observeIn(scope)(`${label} is version ${version}`);
  return version;
}

async function playTry(node: TryNode, scope: Scope): Promise<unknown> {
  try {
    return await playAll(node.nodes, scope);
  } catch {
    observeIn(scope)(`${node.name} caught`);
    return "caught";
  }
}

async function playFinally(node: FinallyNode, scope: Scope): Promise<unknown> {
  try {
    return await playAll(node.nodes, scope);
  } finally {
    observeIn(scope)(`${node.name} at the end`);
    await playAll(node.last, scope);
  }
}

async function playLater(node: LaterNode, scope: Scope): Promise<unknown> {
  const promise = playLeaf(node.first, scope);
  promise.catch(() => undefined);
  const values = await playAll(node.nodes, scope);
  const value = (await promise) ?? null;
  observeIn(scope)(`${node.name} at last`);
  return [value, values];
}

async function playBranches(node: BranchNode, scope: Scope): Promise<unknown> {
  const branches = node.branches.map((branch) => playAll(branch, scope));
  if (node.kind === "all") return Promise.all(branches);
  if (node.kind === "race") return Promise.race(branches);
  if (node.kind === "any") return Promise.any(branches);
  const ends = await Promise.allSettled(branches);
  return ends.map((end) => (end.status === "fulfilled" ? end.value : "failed"));
}

async function playLoop(node: LoopNode, scope: Scope): Promise<unknown> {
  const rounds: unknown[] = [];
  if (node.iterates) {
    for await (const values of roundsOf(node, scope)) rounds.push(values);
  } else {
    for (let round = 0; round < node.times; round += 1)
      rounds.push(await playAll(node.nodes, scope));
  }
  return rounds;
}

async function* roundsOf(node: LoopNode, scope: Scope): AsyncGenerator {
  for (let round = 0; round < node.times; round += 1) yield await playAll(node.nodes, scope);
}

const observeIn =
  ({ execution, prefix }: Scope) =>
  (entry: string): void =>
    execution.observe(prefix + entry);

/** Which use of its name a call is. */
function countCall(name: string, { counts }: Scope): string {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count === 1 ? name : `${name}#${count}`;
}

/** The key of a call as the engine writes it. */
function pathOf(name: string, scope: Scope): string {
  const use = countCall(name, scope).slice(name.length);
  return `${scope.prefix}${escape(name)}${use}`;
}

const escape = (name: string): string =>
  name.replace(/[%#/~]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const within = (scope: Scope, step: WorkflowStep, path: string): Scope => ({
  execution: scope.execution,
  step,
  counts: new Map(),
  prefix: `${path}/`,
  isShielded: scope.isShielded,
});

async function playScope(node: ScopeNode, scope: Scope): Promise<unknown> {
  const { step } = scope;
  const path = pathOf(node.name, scope);
  const branches = Object.fromEntries(
    node.branches.map((branch, index) => [
      `b${index}`,
      (own: WorkflowStep) => playAll(branch, within(scope, own, `${path}/b${index}`)),
    ]),
  );
  switch (node.of) {
    case "join":
      return step.join(node.name, branches);
    case "race":
      return step.race(node.name, branches);
    case "first":
      return step.race(node.name, branches, { settles: "first" });
    case "try": {
      const [first = []] = node.branches;
      const end = await step.try(node.name, (own) => playAll(first, within(scope, own, path)));
      return end.ok ? end.value : "failed";
    }
    case "map":
      return playMap(node, scope, path);
  }
}

async function playMap(node: ScopeNode, scope: Scope, path: string): Promise<unknown> {
  const run = (own: WorkflowStep, branch: Program, index: number): Promise<unknown> =>
    playAll(branch, within(scope, own, `${path}/${index}`));
  const { concurrency, tolerate } = node;
  if (tolerate === null) return scope.step.map(node.name, node.branches, run, { concurrency });
  const ends = await scope.step.map(node.name, node.branches, run, { concurrency, tolerate });
  return ends.map((end) => (end.ok ? end.value : "failed"));
}

function playStepLoop(node: StepLoopNode, scope: Scope): Promise<unknown> {
  const path = pathOf(node.name, scope);
  const { commitEvery, keep } = node;
  return scope.step.loop(node.name, {
    state: { rounds: 0 },
    commitEvery,
    keep,
    run: async (own, { rounds }, iteration) => {
      const last = await playAll(node.nodes, within(scope, own, `${path}/~${iteration}`));
      const done = { rounds: rounds + 1, last };
      return iteration + 1 < node.times ? Loop.continue(done) : Loop.break(done);
    },
  });
}

function playLeaf(node: Leaf, scope: Scope): Promise<unknown> {
  const observe = observeIn(scope);
  const key = countCall(node.name, scope);
  const tellTime = (): void =>
    scope.execution.tellTime(scope.prefix + key, scope.step.now().getTime());
  const settled = callStep(node, key, scope).then(
    (value) => {
      tellTime();
      observe(`${key} = ok`);
      return value ?? null;
    },
    (error: unknown) => {
      // A call of a branch that has ended is refused, and so is the question after the time.
      if (!WorkflowError.is(error) || error.code !== "SCOPE_CLOSED") tellTime();
      observe(`${key} = failed`);
      throw error;
    },
  );
  return deeper(settled, node.depth);
}

/** Puts awaits and chains between a promise and who awaits it. */
async function deeper(promise: Promise<unknown>, depth: number): Promise<unknown> {
  if (depth === 0) return promise;
  if (depth % 2 === 0)
    return promise.then(async (value) => deeper(Promise.resolve(value), depth - 1));
  return await deeper(promise, depth - 1);
}

function callStep(node: Leaf, key: string, scope: Scope): Promise<unknown> {
  const { step, execution } = scope;
  if (node.kind === "sleep") return step.sleep(node.name, node.ms);
  if (node.kind === "wait") return callWait(node, step);
  if (node.kind === "callback") return callCallback(node, key, scope);
  if (node.kind === "child") {
    const retries = { limit: 1000, delay: 1000, backoff: "constant" } as const;
    return step.do(node.name, { retries, timeout: 600_000 }, async (context) => {
      execution.begins(scope.isShielded ? "shielded" : "plain", context);
      await execution.create(context);
      return `created by ${key}`;
    });
  }
  const { undo, timeoutMs: timeout } = node;
  const options = {
    retries: retriesOf(node),
    timeout,
    ...(undo === undefined ? {} : { undo: toUndo(undo, key, execution) }),
  };
  const kind = undo === undefined ? "plain" : "undoable";
  return step.do(node.name, options, async (context) => {
    execution.begins(scope.isShielded ? "shielded" : kind, context);
    await playBody(node, { key, context, execution });
    return `did ${key}`;
  });
}

const retriesOf = ({ retries, delayMs }: Pick<DoNode, "retries" | "delayMs">) =>
  ({ limit: retries, delay: delayMs, backoff: "constant" }) as const;

const toUndo = (plan: UndoPlan, key: string, execution: Execution) => ({
  retries: retriesOf(plan),
  run: async (result: string, context: StepContext): Promise<void> => {
    execution.begins("undo", context);
    execution.undoes(result === `did ${key}`, context);
    await playBody(plan, { key: `undo of ${key}`, context, execution });
  },
});

interface Played {
  readonly key: string;
  readonly context: StepContext;
  readonly execution: Execution;
}

/** @throws as its plan says */
async function playBody(node: Bodied, { key, context, execution }: Played): Promise<void> {
  const end = await execution.body(node, context);
  if (end === "hangs") await new Promise<never>(() => {});
  if (end === "returns") return;
  if (node.body.how === "final") throw new NonRetryableError(`${key} fails for good`);
  throw new RangeError(`${key} fails`);
}

async function callCallback(
  node: CallbackNode,
  key: string,
  { step, execution, prefix }: Scope,
): Promise<unknown> {
  const { token, payload } = await step.callback(node.name, { timeout: node.timeoutMs });
  execution.mail(node, `${prefix}${escape(node.name)}${key.slice(node.name.length)}`, token);
  return payload();
}

async function callWait(node: WaitNode, step: WorkflowStep): Promise<unknown> {
  const options = { type: node.type, timeout: node.timeoutMs, since: node.since };
  const event = node.throws
    ? await step.waitForEvent(node.name, options)
    : await step.tryWaitForEvent(node.name, options);
  return event?.payload ?? null;
}
