/** Hooks that do not end: each has its own time, and nobody waits for it. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createHooksProcessor } from "./processor.ts";
import { createFragnoAdapter } from "../adapter.ts";
import { hookSignal } from "./hook-run.ts";
import { withResolvers } from "../runtime-shims.ts";
import {
  type MovedDatabase,
  query,
  SERVERS,
  type TestServer,
  withMovableClock,
} from "../testing/databases.ts";
import { type Delivery, type Mail, openMail, sendLetter } from "../testing/mail.ts";

/** For slow machines. */
const PATIENCE = { timeout: 60_000 };

describe.each(SERVERS)("hooks that hang on $name", ({ start }) => {
  let server: TestServer;
  let database: MovedDatabase;
  let mail: Mail;
  let deliver: (delivery: Delivery) => void | Promise<void> = () => undefined;
  const deliveries: Delivery[] = [];

  beforeAll(async () => {
    server = await start();
    database = withMovableClock(server.open());
    mail = await openMail(createFragnoAdapter({ database }), async (delivery) => {
      deliveries.push(delivery);
      await deliver(delivery);
    });
  });
  afterEach(async () => {
    deliver = () => undefined;
    deliveries.length = 0;
    await query(database, `delete from "fragno_hooks"`);
  });
  afterAll(() => server.drop());

  const processor = (options = {}) => createHooksProcessor([mail], { leaseMs: 60_000, ...options });
  const hooks = () =>
    query(
      database,
      `select "status", "attempts", "error", "_version" from "fragno_hooks" order by "_internalId"`,
    );
  const delayMs = async (): Promise<number> => {
    const { toMs } = database.dialect;
    const text = `select ${toMs(`"nextRetryAt"`)} - ${toMs(`"lastAttemptAt"`)} as "ms" from "fragno_hooks"`;
    return Number((await query(database, text))[0]?.["ms"]);
  };
  const sentTo = (): readonly string[] => deliveries.map(({ to }) => to);

  test("neighbours are marked without waiting for a hook that hangs, and polling goes on", async () => {
    const held = withResolvers<undefined>();
    deliver = ({ to }) => (to === "stuck" ? held.promise : undefined);
    for (const to of ["stuck", "quick"]) await sendLetter(mail, to);
    const polling = processor({ pollIntervalMs: 1 });
    polling.startPolling();
    await vi.waitFor(async () => {
      expect(await hooks()).toMatchObject([{ status: "processing" }, { status: "completed" }]);
    }, PATIENCE);
    await sendLetter(mail, "later");
    await vi.waitFor(async () => {
      expect(await hooks()).toMatchObject([{}, {}, { status: "completed" }]);
    }, PATIENCE);
    held.resolve(undefined);
    await polling.stopPolling();
    expect(await hooks()).toMatchObject([
      { status: "completed", attempts: 0 },
      { status: "completed" },
      { status: "completed" },
    ]);
  });

  test("at its time limit a hook counts as failed and is tried again later under the same idempotency key", async () => {
    const held = withResolvers<undefined>();
    const ended = withResolvers<undefined>();
    deliver = async () => {
      await held.promise;
      ended.resolve(undefined);
    };
    await sendLetter(mail, "stuck");
    await processor({ hookTimeoutMs: 10 }).process();
    const timedOut = await hooks();
    expect(timedOut).toMatchObject([
      { status: "pending", attempts: 1, error: expect.stringContaining("10 ms") },
    ]);
    expect(await delayMs()).toSatisfy((ms: number) => ms > 50 && ms <= 101);

    // Its late end changes nothing.
    held.resolve(undefined);
    await ended.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await hooks()).toEqual(timedOut);

    deliver = () => undefined;
    database.advance(10_000);
    await processor().process();
    expect(await hooks()).toMatchObject([{ status: "completed", attempts: 1 }]);
    const keys = deliveries.map(({ idempotencyKey }) => idempotencyKey);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  test("a hook that hangs every time fails in the end", async () => {
    deliver = () => new Promise(() => undefined);
    await sendLetter(mail, "stuck");
    for (let pass = 0; pass < 6; pass += 1) {
      await processor({ hookTimeoutMs: 1 }).process();
      database.advance(60_000);
    }
    expect(await hooks()).toMatchObject([{ status: "failed", attempts: 5 }]);
    expect(deliveries).toHaveLength(5);
  });

  test("a place taken by a hook that hangs is free again at its limit", async () => {
    deliver = ({ to }) => (to === "stuck" ? new Promise(() => undefined) : undefined);
    for (const to of ["stuck", "a", "b"]) await sendLetter(mail, to);
    await processor({ batchSize: 1, hookTimeoutMs: 10 }).process();
    // On a slow machine the next try may be due in the same pass.
    expect(sentTo()[0]).toBe("stuck");
    expect(sentTo().filter((to) => to !== "stuck")).toEqual(["a", "b"]);
    expect(await hooks()).toMatchObject([
      { error: expect.stringContaining("10 ms") },
      { status: "completed" },
      { status: "completed" },
    ]);
  });

  test("a hook is told at its limit, by a signal that it can pass on", async () => {
    const told = withResolvers<unknown>();
    expect(hookSignal().aborted).toBe(false);
    deliver = () => {
      const signal = hookSignal();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          told.resolve(signal.reason);
          reject(new RangeError("late"));
        });
      });
    };
    await sendLetter(mail, "stuck");
    await processor({ hookTimeoutMs: 5 }).process();
    expect(await told.promise).toMatchObject({ code: "HOOK_TIMEOUT" });
    expect(await hooks()).toMatchObject([{ error: expect.stringContaining("5 ms") }]);
  });

  test("hooks that end are marked where a test has stopped the timers", async () => {
    for (const to of ["a", "b"]) await sendLetter(mail, to);
    const pass = processor({ batchSize: 1 });
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    try {
      expect(await pass.process()).toEqual({ processedCount: 2, moreDue: false });
    } finally {
      vi.useRealTimers();
    }
    expect(await hooks()).toMatchObject([{ status: "completed" }, { status: "completed" }]);
  });
});
