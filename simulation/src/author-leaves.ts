/** Plays the steps of a program. */
import {
  NonRetryableError,
  type StepContext,
  WorkflowError,
  type WorkflowStep,
} from "@escapement/engine";
import {
  type Bodied,
  countCall,
  escape,
  type Execution,
  observeIn,
  type Scope,
} from "./author-place.ts";
import type {
  CallbackNode,
  DoNode,
  InvokeNode,
  Leaf,
  ReceiveNode,
  TopicNode,
  UndoPlan,
  WaitNode,
} from "./program.ts";

/** @returns what the step gives its caller */
export function playLeaf(node: Leaf, scope: Scope): Promise<unknown> {
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
      // The engine may refuse what code calls in a branch that has ended, or leave it open. No history says which, so nothing is seen of it.
      if (WorkflowError.is(error) && error.code === "SCOPE_CLOSED") return new Promise(() => {});
      tellTime();
      observe(`${key} = failed`);
      throw error;
    },
  );
  return deeper(settled, node.depth);
}

/** Puts awaits and chains between a promise and who awaits it. */
export async function deeper(promise: Promise<unknown>, depth: number): Promise<unknown> {
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
  if (node.kind === "receive") return callReceive(node, key, scope);
  if (node.kind === "invoke") return callInvoke(node, key, scope);
  if (node.kind === "topic") return callTopic(node, scope);
  if (node.kind === "progress") return step.progress(toldBy(keyIn(node.name, key, scope.prefix)));
  if (node.kind === "emit") {
    const options = node.messageId === null ? {} : { id: node.messageId };
    return step.emit(node.name, saidBy(keyIn(node.name, key, scope.prefix)), options);
  }
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
    ...(undo === undefined
      ? {}
      : { undo: toUndo(undo, { key, execution, undone: keyIn(node.name, key, scope.prefix) }) }),
  };
  const kind = undo === undefined ? "plain" : "undoable";
  return step.do(node.name, options, async (context) => {
    execution.begins(scope.isShielded ? "shielded" : kind, context);
    await playTelling(node, { key, context, execution });
    return `did ${key}`;
  });
}

const retriesOf = ({ retries, delayMs }: Pick<DoNode, "retries" | "delayMs">) =>
  ({ limit: retries, delay: delayMs, backoff: "constant" }) as const;

interface Undone extends Pick<Played, "key" | "execution"> {
  /** Key of the step. */
  readonly undone: string;
}

const toUndo = (plan: UndoPlan, { key, execution, undone }: Undone) => ({
  retries: retriesOf(plan),
  run: async (result: string, context: StepContext): Promise<void> => {
    execution.begins("undo", context);
    execution.undoes({ undone, isRight: result === `did ${key}` }, context);
    await playTelling(plan, { key: `undo of ${key}`, context, execution });
  },
});

interface Played {
  readonly key: string;
  readonly context: StepContext;
  readonly execution: Execution;
}

/** @throws as its plan says */
async function playTelling(node: Bodied & Pick<DoNode, "tells">, played: Played): Promise<void> {
  const { context } = played;
  if (node.tells === true) void context.progress(toldIn(context, 1));
  await playBody(node, played);
  if (node.tells === true) await context.progress(toldIn(context, 2));
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
  execution.mail(node, keyIn(node.name, key, prefix), token);
  return payload();
}

async function callReceive(
  node: ReceiveNode,
  key: string,
  { step, prefix }: Scope,
): Promise<unknown> {
  const { types, min, count, timeoutMs: timeout } = node;
  const events = await step.receive(node.name, { types, min, count, timeout });
  if (node.replies)
    for (const [index, event] of events.entries())
      event.reply(replyOf(keyIn(node.name, key, prefix), index));
  return events.map(({ payload }) => payload);
}

/** What author code answers an event of a batch. */
export const replyOf = (stepKey: string, index: number): string => `event ${index} of ${stepKey}`;

function callInvoke(node: InvokeNode, key: string, { step, prefix }: Scope): Promise<unknown> {
  const { name, onParentEnd, ownId, deadlineMs } = node;
  const params = paramsOf(keyIn(node.name, key, prefix));
  const options = {
    name,
    onParentEnd,
    params,
    ...(ownId === null ? {} : { id: ownId }),
    ...(deadlineMs === undefined ? {} : { deadline: deadlineMs }),
  };
  return step.invoke(node.workflow, options);
}

async function callTopic(
  { name, topic, since, timeoutMs: timeout }: TopicNode,
  { step, execution }: Scope,
): Promise<unknown> {
  const from = { now: "now", created: execution.createdAt, ever: 0 } as const;
  const message = await step.waitForTopic(name, topic, { since: from[since], timeout });
  return message.payload;
}

/** What a step tells of its progress. */
export const toldBy = (stepKey: string): string => `told by ${stepKey}`;

/** What the body of an attempt tells. @param n from 1 */
export const toldIn = (
  of: { readonly stepKey: string; readonly attempt: number },
  n: number,
): string => `${n} of attempt ${of.attempt} of ${of.stepKey}`;

/** What a step emits. */
export const saidBy = (stepKey: string): string => `said by ${stepKey}`;

/** The key of a step whose name and use are given. */
const keyIn = (name: string, label: string, prefix: string): string =>
  `${prefix}${escape(name)}${label.slice(name.length)}`;

/** What a child is told of the step that starts it. */
export const paramsOf = (stepKey: string): object => ({ startedBy: stepKey });

async function callWait(node: WaitNode, step: WorkflowStep): Promise<unknown> {
  const options = { type: node.type, timeout: node.timeoutMs, since: node.since };
  const event = node.throws
    ? await step.waitForEvent(node.name, options)
    : await step.tryWaitForEvent(node.name, options);
  return event?.payload ?? null;
}
