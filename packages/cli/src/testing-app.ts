/** An engine as a project of a user's exports it, on the SQLite file that a variable names. */
import { bearerAuth, createEngine, defineTopic, defineWorkflow } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { createNodePlatform } from "@escapement/node";

export const TOKEN = "a-token-of-the-command-line-tests";

/** Text that would act on a terminal: it clears the screen, turns the direction, ends a line. */
export const HOSTILE = "\u001b[2J\u009b31m\u202egpj.exe\r\nroot# rm";

class CardReaderError extends Error {
  override readonly name = "CardReaderError";
}

const stockChanged = defineTopic({ name: "stock" });

/** What is down, by name; tests of the same process change it. */
export const outages = new Set<string>();

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 2, delay: 1, backoff: "constant" } },
  async ({ payload }: { payload: unknown }, step) => {
    await step.do("charge", ({ attempt }) => {
      if (outages.has("card reader"))
        throw new CardReaderError(`the card reader is down ${HOSTILE}`);
      return { attempt };
    });
    await step.join("book", {
      hotel: (scope) => scope.do("reserve", () => "h-1"),
      flight: (scope) => scope.do("reserve", () => "f-1"),
    });
    const approval = await step.waitForEvent("approval", { type: "approval", timeout: "1 day" });
    return { params: payload, approval: approval.payload };
  },
);

const WATCH = defineWorkflow({ name: "watch" }, async (_event, step) => {
  const { payload } = await step.waitForTopic("stock", stockChanged);
  return payload;
});

export const platform = createNodePlatform({ pollMs: 60_000, graceMs: 1000 });

export const engine = createEngine({
  workflows: { ORDER, WATCH },
  topics: [stockChanged],
  store: sqlite(process.env["TESTING_DATABASE"], { synchronous: "NORMAL" }),
  platform,
  // What fails here is meant to.
  logger: { log: () => undefined },
  http: { authorizeRequest: bearerAuth(TOKEN) },
});
