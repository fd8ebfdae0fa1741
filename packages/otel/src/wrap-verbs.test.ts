/** Followed verbs behave the same for their callers. */
import { trace, type Tracer } from "@opentelemetry/api";
import { AlwaysOffSampler, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { expect, it } from "vitest";
import { registerSdk, toView } from "./testing-spans.ts";
import { wrapVerbs } from "./wrap-verbs.ts";

const unsampled = (): Tracer =>
  new BasicTracerProvider({ sampler: new AlwaysOffSampler() }).getTracer("test");
const refusal = (): Error => Object.assign(new Error("no"), { code: "INVALID_INPUT" });

it("S8-014 a call that is sampled settles in the turn of those that are not: what follows shares their trips", async () => {
  registerSdk();
  const created = Promise.resolve({ id: "x" });
  const order: string[] = [];
  const create = (name: string, tracer: Tracer): Promise<unknown> => {
    const verbs = wrapVerbs(tracer, { createInstance: (..._input: unknown[]) => created });
    return verbs.createInstance("w", { id: "x" }).then(() => order.push(name));
  };
  await Promise.all([
    create("sampled", trace.getTracer("test")),
    create("unsampled", unsampled()),
    create("sampled too", trace.getTracer("test")),
  ]);
  expect(order).toEqual(["sampled", "unsampled", "sampled too"]);
});

it("a span ends with its call, and says with which code that was refused", async () => {
  const finished = registerSdk();
  const verbs = wrapVerbs(trace.getTracer("test"), {
    createInstance: async (..._input: unknown[]) => ({ id: "x" }),
    sendEvent: async (..._input: unknown[]) => Promise.reject(refusal()),
  });
  const creating = verbs.createInstance("w", { id: "x" });
  const sending = verbs.sendEvent("w", "x", { type: "go" });
  expect(finished()).toEqual([]);
  expect(await creating).toEqual({ id: "x" });
  await expect(sending).rejects.toThrow("no");
  expect(finished().map(toView)).toMatchObject([
    { name: "create w", isError: false },
    { name: "send w", isError: true, attributes: { "error.type": "INVALID_INPUT" } },
  ]);
});

it("a call that is refused and that nobody awaits is an unhandled rejection, sampled or not", async () => {
  registerSdk();
  for (const tracer of [trace.getTracer("test"), unsampled()]) {
    const error = refusal();
    const verbs = wrapVerbs(tracer, { sendEvent: async () => Promise.reject(error) });
    const heard = hearUnhandled();
    void (verbs.sendEvent as (...input: unknown[]) => Promise<unknown>)("w", "x", { type: "go" });
    expect(await heard).toBe(error);
  }
});

it("S8-014 a verb is given what its caller gave, sampled or not: no copy that lacks a class's fields or makes options of a text", async () => {
  registerSdk();
  class Input {
    get params(): number {
      return 1;
    }
  }
  for (const given of [new Input(), "text", null])
    for (const tracer of [trace.getTracer("test"), unsampled()]) {
      const verbs = wrapVerbs(tracer, {
        createInstance: async (...input: unknown[]) => input[1],
      });
      expect(await verbs.createInstance("w", given)).toBe(given);
    }
});

/** The next unhandled rejection, which reaches no other listener. */
async function hearUnhandled(): Promise<unknown> {
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    return await new Promise((resolve) => process.once("unhandledRejection", resolve));
  } finally {
    for (const other of others) process.on("unhandledRejection", other);
  }
}
