/** Verbs that are followed: for who calls them they are what they were. */
import { trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { registerSdk, toView } from "./testing-spans.ts";
import { wrapVerbs } from "./wrap-verbs.ts";

it("S8-014 a call that is sampled settles when the verb does: what follows shares its trips with what follows others", async () => {
  const finished = registerSdk();
  const created = Promise.resolve({ id: "x" });
  const refused = Promise.reject(Object.assign(new Error("no"), { code: "INVALID_INPUT" }));
  const verbs = wrapVerbs(trace.getTracer("test"), {
    createInstance: (..._input: unknown[]) => created,
    sendEvent: (..._input: unknown[]) => refused,
  });

  const creating = verbs.createInstance("w", { id: "x" });
  const sending = verbs.sendEvent("w", "x", { type: "go" });
  expect(creating).toBe(created);
  expect(sending).toBe(refused);
  expect(finished()).toEqual([]);

  await creating;
  await expect(sending).rejects.toThrow("no");
  expect(finished().map(toView)).toMatchObject([
    { name: "create w", isError: false },
    { name: "send w", isError: true, attributes: { "error.type": "INVALID_INPUT" } },
  ]);
});
