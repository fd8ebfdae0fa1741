/** Workflows as a project of a user's has them, and an engine of them on a store. */
import {
  bearerAuth,
  createEngine,
  defineTopic,
  defineWorkflow,
  type Engine,
  type EngineOptions,
  type WorkflowsRegistry,
} from "@escapement/engine";

export const TOKEN = "a-token-of-the-command-line-tests";

/** Text that would act on a terminal: it clears the screen, turns the direction, ends a line. */
export const HOSTILE = "\u001b[2J\u009b31m\u202egpj.exe\r\nroot# rm";

class CardReaderError extends Error {
  override readonly name = "CardReaderError";
}

const stockChanged = defineTopic({ name: "stock" });
const priceChanged = defineTopic({ name: "price" });

/** What is down, by name; tests of the same process change it. */
export const outages = new Set<string>();

export const ORDER = defineWorkflow(
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

const QUOTE = defineWorkflow({ name: "quote" }, async (_event, step) => {
  const { payload } = await step.waitForTopic("price", priceChanged);
  return payload;
});

/** An engine of them, that answers who has the token. */
export const createTestingEngine = (
  options: Pick<EngineOptions<WorkflowsRegistry>, "store" | "platform">,
): Engine =>
  createEngine({
    ...options,
    workflows: { ORDER, WATCH, QUOTE },
    topics: [stockChanged, priceChanged],
    bulk: true,
    // What fails here is meant to.
    logger: { log: () => undefined },
    http: { authorizeRequest: bearerAuth(TOKEN) },
  });
