/** Workflows as a user's project has them, and an engine with them on a store. */
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

/** Text that would affect a terminal: it clears the screen, changes the direction, and breaks lines. */
export const HOSTILE = "\u001b[2J\u009b31m\u202egpj.exe\r\nroot# rm";

class CardReaderError extends Error {
  override readonly name = "CardReaderError";
}

const stockChanged = defineTopic({ name: "stock" });
const priceChanged = defineTopic({ name: "price" });

/** The names of what is down; tests in the same process change it. */
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

/** An engine with these workflows, which answers callers with the token. */
export const createTestingEngine = (
  options: Pick<EngineOptions<WorkflowsRegistry>, "store" | "platform">,
): Engine =>
  createEngine({
    ...options,
    workflows: { ORDER, WATCH, QUOTE },
    topics: [stockChanged, priceChanged],
    bulk: true,
    // Failures are intended here.
    logger: { log: () => undefined },
    http: { authorizeRequest: bearerAuth(TOKEN) },
  });
