/** Hooks that do not end: each has its own time limit, and nothing waits for it. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { hookSignal } from "./hook-run.ts";
import { withResolvers } from "../runtime-shims.ts";
import { SERVERS, type TestServer } from "../testing/databases.ts";
import { sendLetter } from "../testing/mail.ts";
import { openPostOffice, type PostOffice } from "../testing/post-office.ts";

/** For slow machines. */
const PATIENCE = { timeout: 60_000 };

describe.each(SERVERS)("hooks that hang on $name", ({ start }) => {
  let server: TestServer;
  let office: PostOffice;

  beforeAll(async () => {
    server = await start();
    office = await openPostOffice(server);
  });
  afterEach(() => office.empty());
  afterAll(() => server.drop());
  const sentTo = (): readonly string[] => office.deliveries.map(({ to }) => to);

  test("neighbours are marked without waiting for a hook that hangs, and polling goes on", async () => {
    const held = withResolvers<undefined>();
    office.deliver = ({ to }) => (to === "stuck" ? held.promise : undefined);
    for (const to of ["stuck", "quick"]) await sendLetter(office.mail, to);
    const polling = office.processor({ pollIntervalMs: 1 });
    polling.startPolling();
    await vi.waitFor(async () => {
      expect(await office.hooks()).toMatchObject([
        { status: "processing" },
        { status: "completed" },
      ]);
    }, PATIENCE);
    await sendLetter(office.mail, "later");
    await vi.waitFor(async () => {
      expect(await office.hooks()).toMatchObject([{}, {}, { status: "completed" }]);
    }, PATIENCE);
    held.resolve(undefined);
    await polling.stopPolling();
    expect(await office.hooks()).toMatchObject([
      { status: "completed", attempts: 0 },
      { status: "completed" },
      { status: "completed" },
    ]);
  });

  test("at its time limit a hook counts as failed and is tried again later under the same idempotency key", async () => {
    const held = withResolvers<undefined>();
    const ended = withResolvers<undefined>();
    office.deliver = async () => {
      await held.promise;
      ended.resolve(undefined);
    };
    await sendLetter(office.mail, "stuck");
    await office.processor({ hookTimeoutMs: 10 }).process();
    const timedOut = await office.hooks();
    expect(timedOut).toMatchObject([
      { status: "pending", attempts: 1, error: expect.stringContaining("10 ms") },
    ]);
    expect(await office.delayMs()).toSatisfy((ms: number) => ms > 50 && ms <= 101);

    // It ends late, which changes nothing.
    held.resolve(undefined);
    await ended.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await office.hooks()).toEqual(timedOut);

    office.deliver = () => undefined;
    office.database.advance(10_000);
    await office.processor().process();
    expect(await office.hooks()).toMatchObject([{ status: "completed", attempts: 1 }]);
    const keys = office.deliveries.map(({ idempotencyKey }) => idempotencyKey);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  test("a hook that hangs every time fails in the end", async () => {
    office.deliver = () => new Promise(() => undefined);
    await sendLetter(office.mail, "stuck");
    for (let pass = 0; pass < 6; pass += 1) {
      await office.processor({ hookTimeoutMs: 1 }).process();
      office.database.advance(60_000);
    }
    expect(await office.hooks()).toMatchObject([{ status: "failed", attempts: 5 }]);
    expect(office.deliveries).toHaveLength(5);
  });

  test("a place taken by a hook that hangs is free again at its limit", async () => {
    office.deliver = ({ to }) => (to === "stuck" ? new Promise(() => undefined) : undefined);
    for (const to of ["stuck", "a", "b"]) await sendLetter(office.mail, to);
    await office.processor({ batchSize: 1, hookTimeoutMs: 10 }).process();
    // On a slow machine, the next attempt may be due in the same pass.
    expect(sentTo()[0]).toBe("stuck");
    expect(sentTo().filter((to) => to !== "stuck")).toEqual(["a", "b"]);
    expect(await office.hooks()).toMatchObject([
      { error: expect.stringContaining("10 ms") },
      { status: "completed" },
      { status: "completed" },
    ]);
  });

  test("a hook is told at its limit, by a signal that it can pass on", async () => {
    const told = withResolvers<unknown>();
    expect(hookSignal().aborted).toBe(false);
    office.deliver = () => {
      const signal = hookSignal();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          told.resolve(signal.reason);
          reject(new RangeError("late"));
        });
      });
    };
    await sendLetter(office.mail, "stuck");
    await office.processor({ hookTimeoutMs: 5 }).process();
    expect(await told.promise).toMatchObject({ code: "HOOK_TIMEOUT" });
    expect(await office.hooks()).toMatchObject([{ error: expect.stringContaining("5 ms") }]);
  });

  test("hooks that end are marked where a test has stopped the timers", async () => {
    for (const to of ["a", "b"]) await sendLetter(office.mail, to);
    const pass = office.processor({ batchSize: 1 });
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    try {
      expect(await pass.process()).toEqual({ processedCount: 2, moreDue: false });
    } finally {
      vi.useRealTimers();
    }
    expect(await office.hooks()).toMatchObject([{ status: "completed" }, { status: "completed" }]);
  });
});
