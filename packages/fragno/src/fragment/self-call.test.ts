/** The hook's call of the tick route: what it waits for, and for how long. */
import { expect, test } from "vitest";
import type { WorkflowEnqueuedContext } from "./config.ts";
import { selfCall, type SelfCallOptions } from "./hooks.ts";

const OPTIONS = {
  url: "https://app.example/api/workflows/_runner/tick",
  bearerSecret: "a-secret-of-at-least-24-characters",
};

const dispatch = async (options: SelfCallOptions): Promise<unknown> => {
  const { signal } = new AbortController();
  const engine: WorkflowEnqueuedContext["engine"] = {
    tick: () => Promise.reject(new RangeError("not here")),
  };
  const enqueued = { workflowName: "hello", instanceId: "x", reason: "create" } as const;
  return selfCall(options)(enqueued, { engine, idempotencyKey: "k", signal });
};

test("S2-017 the hook waits for the end of the answer, not for its beginning", async () => {
  const order: string[] = [];
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode("\n"));
      await new Promise((resolve) => setImmediate(resolve));
      order.push("ticked");
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.close();
    },
  });
  const fetch = (): Promise<Response> => Promise.resolve(new Response(body, { status: 202 }));
  await dispatch({ ...OPTIONS, fetch });
  expect([...order, "dispatched"]).toEqual(["ticked", "dispatched"]);
});

/** Settles like a fetch that follows the signal. */
const whenAborted = ({ signal }: Request): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason);
    // On a busy machine, the time may be over before the call is made.
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail);
  });

test.each<[string, (request: Request) => Promise<Response>]>([
  ["never begins", whenAborted],
  [
    "begins and never ends",
    async (request) => new Response(new ReadableStream({ pull: () => whenAborted(request) })),
  ],
  ["never begins, whatever its signal says", () => new Promise<never>(() => {})],
])("an answer that %s fails the hook when its time is over", async (_case, fetch) => {
  const call = dispatch({ ...OPTIONS, answerTimeoutMs: 5, fetch });
  await expect(call).rejects.toMatchObject({ code: "WAKE_FAILED" });
});

test.each([
  ["url", { ...OPTIONS, url: "http://app.example/tick" }],
  ["bearerSecret", { ...OPTIONS, bearerSecret: "short" }],
  ["signingKeys", { url: OPTIONS.url }],
])("the option %s is refused when it cannot work", (option, options) => {
  expect(() => selfCall(options)).toThrow(
    expect.objectContaining({
      code: "DEPLOY_OPTIONS_INVALID",
      details: expect.objectContaining({ path: option }),
    }),
  );
});
