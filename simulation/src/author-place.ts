/** Where author code calls steps, and what it asks of the world outside. */
import type { StepContext, WorkflowStep } from "@escapement/engine";
import type { CallbackNode, DoNode } from "./program.ts";

/** What a program asks of the world outside of it. One for each time that author code runs. */
export interface Execution {
  /** When the instance was created, as author code is told. */
  readonly createdAt: Date;
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
  undoes(undo: UndoStart, context: StepContext): void;
  /** Creates an instance of the child workflow. */
  create(context: StepContext): Promise<unknown>;
  /** Resolves unless it ends the process. */
  poison(name: string, times: number): Promise<void>;
}

/** A step is undone. */
export interface UndoStart {
  /** Its key. */
  readonly undone: string;
  /** Whether with what the step gave. */
  readonly isRight: boolean;
}

/** Whose body it is. `shielded`: of a step that goes on though the instance is cancelled; `undoable`: of one that has an undo. */
export type BodyKind = "plain" | "undoable" | "shielded" | "undo";

/** A step, or what undoes one. */
export type Bodied = Pick<DoNode, "body" | "retries">;

/** A place where steps are called. */
export interface Scope {
  readonly step: WorkflowStep;
  readonly execution: Execution;
  /** Calls so far, by name. */
  readonly counts: Map<string, number>;
  /** What keys of the steps begin with. */
  readonly prefix: string;
  readonly isShielded: boolean;
}

/** Tells the world what author code has seen there. */
export const observeIn =
  ({ execution, prefix }: Scope) =>
  (entry: string): void =>
    execution.observe(prefix + entry);

/** Which use of its name a call is. */
export function countCall(name: string, { counts }: Scope): string {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count === 1 ? name : `${name}#${count}`;
}

/** The key of a call as the engine writes it. */
export function pathOf(name: string, scope: Scope): string {
  const use = countCall(name, scope).slice(name.length);
  return `${scope.prefix}${escape(name)}${use}`;
}

/** A name as keys have it. */
export const escape = (name: string): string =>
  name.replace(/[%#/~]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The place of a branch. */
export const within = (scope: Scope, step: WorkflowStep, path: string): Scope => ({
  execution: scope.execution,
  step,
  counts: new Map(),
  prefix: `${path}/`,
  isShielded: scope.isShielded,
});
