/** An engine behind HTTP. */
import { z } from "zod";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { defineTopic } from "../authoring/topic.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { TESTING_SECRET, toAnswer, type Answer } from "./testing-client.ts";

export interface Client {
  readonly send: (method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly tick: () => Promise<Answer>;
  /** Totals that the step body has seen, in order. */
  readonly charged: number[];
  /** Step bodies stay open until the function that this returns is called. */
  readonly holdBodies: () => () => void;
}

/** The real engine on the memory store, with a workflow that charges and then waits for an approval. */
export function createClient(): Client {
  const charged: number[] = [];
  let held = Promise.resolve();
  const order = defineWorkflow(
    {
      name: "ORDER",
      schema: z.object({ total: z.number(), extra: z.unknown().optional() }),
      events: { approve: z.object({ by: z.string() }), note: z.unknown() },
    },
    async ({ payload }, step) => {
      const receipt = await step.do("charge", async () => {
        charged.push(payload.total);
        await held;
        return { paid: payload.total };
      });
      const approval = await step.waitForEvent("approval", { type: "approve" });
      return { receipt, by: approval.payload.by };
    },
  );
  const engine = createEngine({
    workflows: { order },
    topics: [defineTopic({ name: "placed" })],
    bulk: true,
    store: createMemoryStore(),
    http: { open: true, tick: { bearerSecret: TESTING_SECRET } },
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${TESTING_SECRET}` };
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = body === undefined ? { method, headers } : { method, headers, body: toText(body) };
    return toAnswer(await engine.fetch(new Request(`http://host.test/api/workflows${path}`, init)));
  };
  return {
    send,
    charged,
    tick: () => send("POST", "/_runner/tick", {}),
    holdBodies: () => {
      const releases: (() => void)[] = [];
      held = new Promise((resolve) => {
        releases.push(resolve);
      });
      return () => releases.forEach((release) => release());
    },
  };
}

export const toText = (body: unknown): string =>
  typeof body === "string" ? body : JSON.stringify(body);
/** The params of an order. */
export const params = { total: 5 };
