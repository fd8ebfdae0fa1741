/** Functions of a retry policy without a valid result. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, type WorkflowError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { type Retries, boom, run, numbered } from "./testing-retries.ts";

/** As a JavaScript caller would write it. */
const untyped = (value: unknown): never => value as never;

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("S6-024 a policy's function that gives no answer", () => {
  const fault = async (retries: object, option: string, fragment: string) => {
    const { attempts, caught, status, stepOf, harness } = await run(untyped(retries));
    const message = expect.stringMatching(
      new RegExp(`^retries\\.${option} of step "s" gave no answer: .*${fragment}`, "u"),
    );
    expect(attempts()).toBe(1);
    const own = { code: "INVALID_RETRY_POLICY", message };
    expect(status).toMatchObject({
      status: "errored",
      error: { ...own, details: { option, stepKey: "s" } },
    });
    expect(await stepOf()).toMatchObject({
      status: "errored",
      error: { ...own, cause: { name: "TypeError", message: "boom" } },
    });
    const [error] = caught as WorkflowError[];
    expect(error).toMatchObject({ ...own, details: { option, fault: expect.anything() } });
    expect(error?.cause).toMatchObject({
      code: "INVALID_RETRY_POLICY",
      cause: new TypeError("boom"),
    });
    const line = harness.log.find(({ event }) => event === "step.attempt_failed");
    expect(line?.fields).toMatchObject({ error: { ...own, cause: { message: "boom" } } });
  };

  it.each<[string, () => unknown, string]>([
    ["throws", () => JSON.parse("{"), "JSON"],
    [
      "throws what cannot be read",
      () => {
        throw revoked();
      },
      "",
    ],
    ["returns nothing", () => undefined, "undefined is not true or false"],
    ["returns a number", () => 1, "1 is not true or false"],
    ["returns text", () => "false", "false is not true or false"],
    ["returns a promise", async () => true, "is not true or false"],
    ["returns a promise that rejects", async () => boom(), "is not true or false"],
    ["returns what cannot be read", revoked, "is not true or false"],
  ])(
    "shouldRetry %s: the step fails at once, and keeps what was thrown",
    async (_what, shouldRetry, says) => {
      await fault({ limit: 5, shouldRetry }, "shouldRetry", says);
    },
  );

  it.each<[string, () => unknown, string]>([
    ["throws", () => JSON.parse("{"), "JSON"],
    ["returns nothing", () => undefined, "undefined; expected milliseconds"],
    ["returns a negative number", () => -1, "-1; expected milliseconds"],
    ["returns NaN", () => Number.NaN, "NaN; expected milliseconds"],
    ["never ends it", () => Infinity, "Infinity; expected milliseconds"],
    ["returns text that is no duration", () => "soon", '"soon"; expected milliseconds'],
    ["returns a Date", () => new Date(0), "expected milliseconds"],
    ["returns a promise that rejects", async () => boom(), "expected milliseconds"],
    ["returns what cannot be read", revoked, "expected milliseconds"],
  ])("delay %s: the step fails at once, and keeps what was thrown", async (_what, delay, says) => {
    await fault({ limit: 5, delay }, "delay", says);
  });

  it("gets what was thrown as it is, though nothing of it can be read", async () => {
    const asked: unknown[] = [];
    const thrown = revoked();
    const retries: Retries = {
      limit: 2,
      delay: (_attempt, error) => (asked.push(error), 1),
      shouldRetry: (error) => asked.push(error) > 0,
    };
    const { attempts, status } = await run(retries, () => {
      throw thrown;
    });
    expect(attempts()).toBe(3);
    expect(asked.every((one) => one === thrown) && asked.length === 4).toBe(true);
    expect(status).toMatchObject({ status: "errored" });
  });

  it("is told the same on every replay", async () => {
    const told: unknown[] = [];
    const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
      const retries = { limit: 3, shouldRetry: boom };
      await step.do("s", { retries }, numbered).catch((error: WorkflowError) => {
        const { code, message, cause } = error;
        told.push({ code, message, deep: String((cause as Error).cause) });
      });
      await step.sleep("nap", "1 hour");
    });
    const harness = createHarness({ workflows: { W: workflow } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(told).toEqual([
      {
        code: "INVALID_RETRY_POLICY",
        message: 'retries.shouldRetry of step "s" gave no answer: boom',
        deep: "RangeError: no. 1",
      },
      told[0],
    ]);
  });

  it.each([true, "always", {}, null])(
    "shouldRetry: %j is refused where it is given",
    async (given) => {
      const retries = untyped({ limit: 1, shouldRetry: given });
      const refused = expect.objectContaining({ code: "INVALID_RETRY_POLICY" });
      const { attempts, caught } = await run(retries);
      expect([attempts(), caught]).toEqual([0, [refused]]);
      const workflow = defineWorkflow({ name: "w", retries }, () => 1);
      expect(() => createHarness({ workflows: { W: workflow } })).toThrow(refused);
    },
  );
});
