/** The answer of a batch stays small, whatever the instances that it names have become. */
import { expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { PAGE_BYTES, SMALL_PAYLOAD_BYTES } from "../ports/pages.ts";
import { createHarness } from "../testing/harness.ts";

const LARGE = "x".repeat(1_000_000);
const ECHO = defineWorkflow({ name: "echo" }, async ({ payload }) =>
  payload === "small" ? payload : LARGE,
);

/** Repeats a batch of so many instances, whose outputs are large but for that of the first, once they have ended. */
async function repeat(count: number): Promise<{ readonly status: number; readonly text: string }> {
  const { engine, runUntilIdle } = createHarness({ workflows: { ECHO }, http: { open: true } });
  const instances = Array.from({ length: count }, (_, n) => ({
    id: `i${n}`,
    params: n === 0 ? "small" : "large",
  }));
  const send = (): Promise<Response> =>
    engine.fetch(
      new Request("http://127.0.0.1/api/workflows/workflows/echo/instances/batch", {
        method: "POST",
        body: JSON.stringify({ instances }),
        headers: { "content-type": "application/json", "idempotency-key": "k" },
      }),
    );
  expect((await send()).status).toBe(200);
  await runUntilIdle();
  const answer = await send();
  return { status: answer.status, text: await answer.text() };
}

it.each([2, 100])(
  "S5-012 S8-009 a repeated batch of %i tells the size of large outputs, and shows small ones",
  async (count) => {
    const { status, text } = await repeat(count);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(PAGE_BYTES);
    const { instances } = JSON.parse(text) as { readonly instances: readonly object[] };
    expect(instances).toHaveLength(count);
    expect(instances[0]).toMatchObject({ details: { status: "complete", output: "small" } });
    const details = { status: "complete", omittedBytes: LARGE.length + 2 };
    for (const instance of instances.slice(1)) {
      expect(instance).toMatchObject({ details });
      expect(instance).not.toHaveProperty("details.output");
    }
    expect(details.omittedBytes).toBeGreaterThan(SMALL_PAYLOAD_BYTES);
  },
);
