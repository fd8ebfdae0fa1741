/**
 * Workflows that earlier versions have run a part of, in the words that all versions know. They stay as they are: histories
 * of them are stored beside this file.
 */
import type { defineWorkflow, NonRetryableError } from "@escapement/engine";

/** What a version gives to authors. */
export interface Authoring {
  readonly defineWorkflow: typeof defineWorkflow;
  readonly NonRetryableError: typeof NonRetryableError;
}

/** What the bodies of steps do beside giving results. */
export interface Bodies {
  /** A body runs. */
  ran(instanceId: string, stepKey: string): void;
  /** Whether the process is to die in this body: it never ends. */
  diesIn(instanceId: string, stepKey: string): boolean;
}

type Body = <T>(
  instanceId: string,
  give: (attempt: number) => T,
) => (context: { readonly stepKey: string; readonly attempt: number }) => T | Promise<never>;

interface Parts extends Authoring {
  readonly body: Body;
}

const NEVER = new Promise<never>(() => {});

// oxlint-disable-next-line typescript/explicit-function-return-type -- the bindings take their types from it
export function createPrograms(authoring: Authoring, bodies: Bodies) {
  const body: Body =
    (instanceId, give) =>
    ({ stepKey, attempt }) => {
      bodies.ran(instanceId, stepKey);
      return bodies.diesIn(instanceId, stepKey) ? NEVER : give(attempt);
    };
  const parts: Parts = { ...authoring, body };
  return {
    ORDER: createOrder(parts),
    FLAKY: createFlaky(parts),
    PARALLEL: createParallel(parts),
    REPEATED: createRepeated(parts),
  };
}

/** Steps side by side, a sleep, a wait, a failure that is caught, a wait that nobody answers. */
const createOrder = ({ defineWorkflow, NonRetryableError, body }: Parts) =>
  defineWorkflow({ name: "order" }, async (event, step) => {
    const id = event.instanceId;
    const { quantity, restMs } = event.payload as { quantity: number; restMs: number };
    const price = await step.do(
      "price",
      body(id, () => quantity * 7),
    );
    const [stock, address] = await Promise.all([
      step.do(
        "stock",
        body(id, () => ({ left: 100 - quantity })),
      ),
      step.do(
        "address",
        body(id, () => "Harbour Street 5"),
      ),
    ]);
    await step.sleep("rest", restMs);
    const payment = await step.waitForEvent("payment", { type: "paid", timeout: "1 day" });
    let suspicion = "none";
    const refuse = (): never => {
      throw new NonRetryableError("an odd address");
    };
    try {
      await step.do("look for fraud", body(id, refuse));
    } catch (error) {
      suspicion = (error as Error).message;
    }
    const hint = await step.tryWaitForEvent("hint", { type: "hint", timeout: "1 second" });
    return { price, stock, address, payment: payment.payload, suspicion, hint };
  });

/** Fails once, and is tried again an hour later; for good where it is told so. */
const createFlaky = ({ defineWorkflow, NonRetryableError, body }: Parts) =>
  defineWorkflow({ name: "flaky" }, async (event, step) => {
    const { isLost } = event.payload as { isLost: boolean };
    const call = (attempt: number): string => {
      if (isLost) throw new NonRetryableError("nobody is there");
      if (attempt === 1) throw new RangeError("try later");
      return `attempt ${attempt}`;
    };
    await step.do(
      "before",
      body(event.instanceId, () => "done"),
    );
    const retries = { limit: 3, delay: "1 hour", backoff: "constant" } as const;
    return await step.do("call", { retries }, body(event.instanceId, call));
  });

/** One branch has ended, one sleeps, one waits; then the first of two. */
const createParallel = ({ defineWorkflow, body }: Parts) =>
  defineWorkflow({ name: "parallel" }, async (event, step) => {
    const id = event.instanceId;
    const all = await Promise.all([
      step.do(
        "work",
        body(id, () => [1, 2, 3]),
      ),
      step.sleep("nap", "1 hour").then(() => "rested"),
      step.waitForEvent("answer", { type: "answer", timeout: "1 day" }).then((got) => got.payload),
    ]);
    const first = await Promise.race([
      step.sleep("too late", "30 days").then(() => "late"),
      step.do(
        "quick",
        body(id, () => "quick"),
      ),
    ]);
    return { all, first };
  });

/** Names used twice, which once meant the same step. */
const createRepeated = ({ defineWorkflow, body }: Parts) =>
  defineWorkflow({ name: "repeated", repeatedNames: "cached" }, async (event, step) => {
    const results: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      results.push(
        await step.do(
          "part",
          body(event.instanceId, () => 5),
        ),
      );
      if (turn === 0) await step.sleep("between", "1 hour");
    }
    return results;
  });
