/** Programs of every kind, each with what happens to it from outside: the same, however often it happens. */
import {
  defineTopic,
  defineWorkflow,
  type Engine,
  Loop,
  type WorkflowDefinition,
  type WorkflowStep,
} from "@escapement/engine";

const stock = defineTopic({ name: "stock" });
export const TOPICS = [stock];
export const SIGNING_KEY = "a-secret-of-the-caller-that-nobody-else-has";

/** Keys of bodies that ran, once for each time. */
export const effects: string[] = [];
/** Tokens of callbacks that somebody has been given. */
const tokens = new Set<string>();

interface Body {
  readonly idempotencyKey: string;
  readonly attempt: number;
}

const act =
  <T>(result: T) =>
  ({ idempotencyKey }: Body): T => {
    effects.push(idempotencyKey);
    return result;
  };

const steps = async (step: WorkflowStep): Promise<unknown> => {
  const first = await step.do("first", act({ at: new Date(0), big: 12n }));
  await step.sleep("sleep", "2 hours");
  const second = await step.do(
    "second",
    { retries: { limit: 2, delay: "10 minutes" } },
    (body: Body) => {
      if (body.attempt < 2) throw new RangeError("not yet");
      return act("second")(body);
    },
  );
  return [first, second, await step.do("third", act(null))];
};

const events = async (step: WorkflowStep): Promise<unknown> => {
  const told: unknown[] = [];
  for (let index = 0; index < 3; index += 1) {
    const { payload } = await step.waitForEvent("wait", { type: "go", timeout: "9 days" });
    told.push(payload, await step.do("note", act(index)));
  }
  const batch = await step.receive("batch", { types: ["other"], min: 2, timeout: "9 days" });
  const late = await step
    .waitForEvent("late", { type: "go", timeout: "5 hours", since: "wait" })
    .catch(() => ({ payload: "none" }));
  return [told, batch.map(({ payload }) => payload), late.payload];
};

const scopes = async (step: WorkflowStep): Promise<unknown> => {
  const both = await step.join("both", {
    a: (own) => own.do("a", act("a")),
    b: async (own) => {
      await own.sleep("b", "1 hour");
      return own.do("after", act("b"));
    },
  });
  const first = await step.race("race", {
    slow: (own) => own.sleep("slow", "200 days"),
    quick: (own) => own.do("quick", act("quick")),
  });
  const all = await step.map("all", [1, 2, 3], (own, item) => own.do("one", act(item * 2)));
  const sum = await step.loop("sum", {
    state: 0,
    commitEvery: 1,
    run: async (own, state) => {
      const next = await own.do("add", act(state + 1));
      await own.sleep("pause", "1 hour");
      return next < 4 ? Loop.continue(next) : Loop.break(next);
    },
  });
  return [both, first, all, sum];
};

const child = defineWorkflow({ name: "child" }, async ({ payload }, step) => {
  await step.do("begin", act("begun"));
  await step.sleep("nap", "3 hours");
  return step.do("end", act([payload, "ended"]));
});

const family = async (step: WorkflowStep): Promise<unknown> => {
  const early = await step.invoke(child, { params: "early" });
  const both = await step.join("both", {
    left: (own) => own.invoke(child, { params: "left" }),
    right: (own) => own.invoke(child, { params: "right" }),
  });
  return [early, both];
};

const topics = async (step: WorkflowStep): Promise<unknown> => {
  await step.progress({ done: 0 });
  const first = await step.waitForTopic("first", stock, { timeout: "9 days" });
  await step.progress({ done: 1 });
  await step.do("between", act(null));
  const second = await step.waitForTopic("second", stock, { timeout: "9 days" });
  await step.progress({ done: 2 });
  return [first.payload !== undefined, second.payload !== undefined];
};

const callback = async (step: WorkflowStep): Promise<unknown> => {
  const answer = await step.callback("link", { timeout: "9 days" });
  await step.do("hand out", ({ idempotencyKey }: Body) => {
    effects.push(idempotencyKey);
    tokens.add(answer.token);
  });
  const payload = await answer.payload();
  return [payload, await step.do("after", act("after"))];
};

const undo = (name: string) => (): void => void effects.push(`undo ${name}`);

const saga = async (step: WorkflowStep): Promise<unknown> => {
  await step.do("book", { undo: undo("book") }, act("booked"));
  await step.sleep("wait", "1 hour");
  await step.do("pay", { undo: undo("pay") }, act("paid"));
  await step.do("fail", { retries: { limit: 0, delay: 1 } }, () => {
    throw new RangeError("no room");
  });
  return null;
};

const repeatable = async (step: WorkflowStep): Promise<unknown> => {
  const at = step.now();
  const version = step.version("code", 2);
  const drawn = [step.random(), step.uuid()];
  const before = await step.do("keep", () => drawn);
  await step.sleep("sleep", "1 hour");
  return [at.getTime() > 0, version, JSON.stringify(before) === JSON.stringify(drawn)];
};

const BODIES: Readonly<Record<string, (step: WorkflowStep) => Promise<unknown>>> = {
  steps,
  events,
  scopes,
  family,
  topics,
  callback,
  saga,
  repeatable,
};

export const WORKFLOWS: Readonly<Record<string, WorkflowDefinition>> = {
  CHILD: child,
  ...Object.fromEntries(
    Object.entries(BODIES).map(([name, body]) => [
      name.toUpperCase(),
      defineWorkflow({ name }, async (_event, step) => body(step)),
    ]),
  ),
};

export const PROGRAMS: readonly string[] = Object.keys(BODIES);

const SENT = [
  ["go", 1],
  ["other", 1],
  ["go", 2],
  ["go", 3],
  ["go", 4],
  ["other", 2],
] as const;

/** What people do: it has an id, so that it counts once, whichever store hears of it. */
export async function happen(
  engine: Engine,
  { name, id, round }: Readonly<Record<"name" | "id", string>> & { readonly round: number },
): Promise<void> {
  const ignore = (): void => undefined;
  if (name === "events")
    for (const [type, index] of SENT) {
      const event = { type, payload: `${type} ${index}`, eventId: `${type}-${index}` };
      await engine.sendEvent(name, id, event).catch(ignore);
    }
  if (name === "topics") await engine.emit(stock, { round }, { id: `${id}-round-${round}` });
  if (name === "callback")
    for (const token of tokens) await engine.completeCallback(token, "called").catch(ignore);
}

/** The token that was given away last. */
export const lastToken = (): string => [...tokens].at(-1) ?? "";

/** Nothing of the program before. */
export function begin(): void {
  effects.length = 0;
  tokens.clear();
}
