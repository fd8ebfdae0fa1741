import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHarness, type Harness } from "@escapement/engine/testing";
import { afterEach, expect, test } from "vitest";
import { defineRefund } from "./workflow.ts";

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Answers with the statuses in turn, and remembers what it was asked. */
async function startPayouts(...statuses: readonly number[]) {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = statuses[keys.length] ?? 500;
    keys.push(request.headers["idempotency-key"]);
    response.end(response.statusCode === 400 ? "no such account" : "receipt-1");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, keys };
}

async function askForRefund(
  payoutUrl: string,
): Promise<Harness<{ readonly REFUND: ReturnType<typeof defineRefund> }>> {
  const harness = createHarness({ workflows: { REFUND: defineRefund(payoutUrl) } });
  const params = { orderId: "A-1", cents: 1999 };
  await harness.workflows.REFUND.create({ id: "r-1", params });
  await harness.runUntilIdle();
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  return harness;
}

const decide = (harness: Awaited<ReturnType<typeof askForRefund>>, approved: boolean) =>
  harness.sendEvent("refund", "r-1", { type: "decision", payload: { approved } });

test("an approved refund is paid, once the payout service answers, under one key", async () => {
  const payouts = await startPayouts(503, 502, 200);
  const harness = await askForRefund(payouts.url);
  await decide(harness, true);
  await harness.runThroughTime();
  expect(await harness.status("refund", "r-1")).toMatchObject({
    status: "complete",
    output: { state: "paid", receipt: "receipt-1" },
  });
  expect(payouts.keys).toHaveLength(3);
  expect(new Set(payouts.keys).size).toBe(1);
});

test("a refund that is refused, or that nobody decides in seven days, pays nothing", async () => {
  const payouts = await startPayouts();
  const refused = await askForRefund(payouts.url);
  await decide(refused, false);
  await refused.runUntilIdle();
  expect(await refused.status("refund", "r-1")).toMatchObject({ output: { state: "refused" } });
  const forgotten = await askForRefund(payouts.url);
  await forgotten.runThroughTime();
  expect(await forgotten.status("refund", "r-1")).toMatchObject({ output: { state: "expired" } });
  expect(payouts.keys).toEqual([]);
});

test("what the payout service will never take is not asked again", async () => {
  const payouts = await startPayouts(400);
  const harness = await askForRefund(payouts.url);
  await decide(harness, true);
  await harness.runThroughTime();
  const error = { message: "no such account" };
  expect(await harness.status("refund", "r-1")).toMatchObject({ status: "errored", error });
  expect(payouts.keys).toHaveLength(1);
});

test.each([undefined, "", "payouts.acme.dev", "http://payouts.acme.dev/", "file:///etc/passwd"])(
  "a payout service at %j is refused when the workflow is defined",
  (payoutUrl) => expect(() => defineRefund(payoutUrl)).toThrow("PAYOUT_URL"),
);

test("what a caller says of an address changes nothing", async () => {
  const [ours, theirs] = [await startPayouts(200), await startPayouts(200)];
  const harness = createHarness({ workflows: { REFUND: defineRefund(ours.url) } });
  const params = { orderId: "A-1", cents: 1999, payoutUrl: theirs.url, url: theirs.url };
  await harness.workflows.REFUND.create({ id: "r-1", params });
  await harness.sendEvent("refund", "r-1", { type: "decision", payload: { approved: true } });
  await harness.runThroughTime();
  expect([ours.keys.length, theirs.keys.length]).toEqual([1, 0]);
});
