import { NoRetryPolicy } from "@fragno-dev/db";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createHooksProcessor } from "./processor.ts";
import { createFragnoAdapter } from "../adapter.ts";
import { withResolvers } from "../runtime-shims.ts";
import {
  type MovedDatabase,
  query,
  type TestServer,
  withMovableClock,
  SERVERS,
} from "../testing/databases.ts";
import {
  type Delivery,
  type Mail,
  mailHooks,
  mailSchema,
  openMail,
  sendLetter,
} from "../testing/mail.ts";

const LEASE_MS = 60_000;

/** Throws at whatever is done with it. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe.each(SERVERS)("hook processor on $name", ({ start }) => {
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

  const processor = (options = {}) =>
    createHooksProcessor([mail], { leaseMs: LEASE_MS, ...options });
  const hooks = () =>
    query(
      database,
      `select "status", "attempts", "error" from "fragno_hooks" order by "_internalId"`,
    );
  const delayMs = async (): Promise<number> => {
    const { toMs } = database.dialect;
    const text = `select ${toMs(`"nextRetryAt"`)} - ${toMs(`"lastAttemptAt"`)} as "ms" from "fragno_hooks"`;
    return Number((await query(database, text))[0]?.["ms"]);
  };
  const fail = (): never => {
    throw new RangeError("post office closed");
  };

  /** As a processor leaves a hook that dies while it runs it. */
  const takeAndDie = (): Promise<unknown> =>
    query(
      database,
      `update "fragno_hooks" set "status" = 'processing', "_version" = "_version" + 1, "nextRetryAt" = ${database.dialect.fromMs(`${database.dialect.nowMs} + ${LEASE_MS}`)}`,
    );

  test("a hook that fails is tried again later, and later still, with the same idempotency key", async () => {
    deliver = fail;
    await sendLetter(mail, "ann");
    await processor().process();
    expect(await hooks()).toEqual([
      { status: "pending", attempts: 1, error: "post office closed" },
    ]);
    expect(await delayMs()).toSatisfy((ms: number) => ms > 50 && ms <= 101);
    database.advance(1000);
    await processor().process();
    expect(deliveries).toHaveLength(2);
    expect(await delayMs()).toSatisfy((ms: number) => ms > 150 && ms <= 201);
    deliver = () => undefined;
    database.advance(10_000);
    await processor().process();
    expect(await hooks()).toMatchObject([{ status: "completed", attempts: 2 }]);
    expect(new Set(deliveries.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test.each([
    ["an object that has no text", () => ({ toString: fail })],
    ["a revoked proxy", () => revoked()],
    ["an object without a prototype", () => Object.create(null) as object],
  ])("S2-015 a hook that throws %s has failed like any other", async (_what, thrown) => {
    deliver = () => {
      // oxlint-disable-next-line typescript/only-throw-error -- what authors' code may do
      throw thrown();
    };
    await sendLetter(mail, "odd");
    await processor().process();
    expect(await hooks()).toEqual([
      { status: "pending", attempts: 1, error: expect.stringContaining("threw") as string },
    ]);
  });

  test("S2-015 an error that no column takes, or that is very long, is cut to what is stored", async () => {
    deliver = () => {
      throw new RangeError(`a\0b${"x".repeat(1_000_000)}`);
    };
    await sendLetter(mail, "long");
    await processor().process();
    const [hook] = await hooks();
    expect(hook).toMatchObject({ status: "pending", attempts: 1 });
    expect(String(hook?.["error"])).toMatch(/^a\u{fffd}bx+$/u);
    expect(String(hook?.["error"]).length).toBeLessThanOrEqual(10_000);
  });

  test("a hook gets the attempts that its trigger allowed and no more", async () => {
    deliver = fail;
    await sendLetter(mail, "five");
    await mail.inContext(function () {
      return this.handlerTx()
        .mutate(({ forSchema }) => {
          const uow = forSchema(mailSchema, mailHooks);
          uow.triggerHook("onLetter", { to: "once" }, { retryPolicy: new NoRetryPolicy() });
        })
        .execute();
    });
    for (let pass = 0; pass < 8; pass += 1) {
      await processor().process();
      database.advance(20_000);
    }
    const tries = (to: string): number =>
      deliveries.filter((delivery) => delivery.to === to).length;
    expect([tries("five"), tries("once")]).toEqual([5, 1]);
    expect(await hooks()).toMatchObject([
      { status: "failed", attempts: 5 },
      { status: "failed", attempts: 1 },
    ]);
  });

  test("a hook that another transaction holds is passed over, and the others are run without a wait for it", async () => {
    await sendLetter(mail, "held");
    await sendLetter(mail, "free");
    const holdsLocks = database.dialect.name === "postgres";
    if (!holdsLocks) return;
    const order: string[] = [];
    const held = database
      .batch([
        {
          text: `select 1 from "fragno_hooks" where cast("payload" as text) like '%held%' for update`,
          values: [],
        },
        { text: "select pg_sleep(3)", values: [] },
      ])
      .then(() => order.push("let go"));
    // The lock is there once the database says so.
    await expect
      .poll(() => query(database, `select 1 as "one" from pg_locks where "mode" = 'RowShareLock'`))
      .not.toEqual([]);
    await processor().process();
    order.push("processed");
    expect(deliveries).toMatchObject([{ to: "free" }]);
    await held;
    expect(order).toEqual(["processed", "let go"]);
  });

  test("a dead processor's hook is taken over when its lease ends, and the death counts as an attempt", async () => {
    await sendLetter(mail, "orphan");
    await takeAndDie();
    await processor().process();
    expect(deliveries).toEqual([]);
    database.advance(LEASE_MS + 1);
    await processor().process();
    expect(deliveries).toMatchObject([{ to: "orphan" }]);
    expect(await hooks()).toMatchObject([{ status: "completed", attempts: 1 }]);
  });

  test("a hook that kills every processor fails in the end instead of killing for ever", async () => {
    await sendLetter(mail, "killer");
    const internal = mail.$internal.linkedFragments._fragno_internal;
    /** Takes what is due, and dies. */
    const take = (): Promise<number> =>
      internal.inContext(function () {
        return this.handlerTx()
          .withServiceCalls(
            () => [internal.services.hookService.getPendingHookEvents("mail")] as const,
          )
          .transform(({ serviceResult: [events] }) => events.length)
          .execute();
      });
    let taken = 0;
    while ((await take()) > 0) {
      taken += 1;
      database.advance(300_001);
    }
    expect(taken).toBe(10);
    expect(await hooks()).toMatchObject([
      { status: "failed", attempts: 10, error: "The processor died or lost its lease" },
    ]);
    expect(await processor().process()).toEqual({ processedCount: 0, moreDue: false });
    expect(deliveries).toEqual([]);
  });

  test("S2-015 a hook of one attempt runs although its claim's answer was lost, and fails for good only when it has failed", async () => {
    const send = (to: string) =>
      mail.inContext(function () {
        return this.handlerTx()
          .mutate(({ forSchema }) => {
            const options = { retryPolicy: new NoRetryPolicy() };
            forSchema(mailSchema, mailHooks).triggerHook("onLetter", { to }, options);
          })
          .execute();
      });
    await send("unheard");
    // Claimed, and nobody knows.
    await takeAndDie();
    database.advance(LEASE_MS + 1);
    await processor().process();
    expect(deliveries).toMatchObject([{ to: "unheard" }]);
    expect(await hooks()).toMatchObject([{ status: "completed" }]);
    await query(database, `delete from "fragno_hooks"`);
    await send("bad");
    await takeAndDie();
    database.advance(LEASE_MS + 1);
    deliver = fail;
    await processor().process();
    expect(await hooks()).toMatchObject([{ status: "failed", error: "post office closed" }]);
  });

  test("a processor that lost its lease changes nothing, and the hooks beside it are marked all the same", async () => {
    const held = withResolvers<undefined>();
    const begun = withResolvers<undefined>();
    deliver = async ({ to }) => {
      if (to !== "slow") return;
      begun.resolve(undefined);
      await held.promise;
    };
    await sendLetter(mail, "slow");
    await sendLetter(mail, "quick");
    const stale = processor().process();
    await begun.promise;
    await query(
      database,
      `update "fragno_hooks" set "nextRetryAt" = null where "_internalId" = (select min("_internalId") from "fragno_hooks")`,
    );
    deliver = () => undefined;
    await processor().process();
    expect(await hooks()).toMatchObject([{ status: "completed", attempts: 1 }, {}]);
    held.resolve(undefined);
    await stale;
    expect(await hooks()).toMatchObject([
      { status: "completed", attempts: 1 },
      { status: "completed", attempts: 0 },
    ]);
  });

  test("S2-009 S2-031 S2-032 S2-045 the next try is reckoned by the database's clock, however wrong this process's is", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    deliver = fail;
    await sendLetter(mail, "skewed");
    await processor().process();
    vi.useRealTimers();
    const [row] = await query(
      database,
      `select ${database.dialect.toMs(`"nextRetryAt"`)} - ${database.dialect.nowMs} as "ms" from "fragno_hooks"`,
    );
    expect(Number(row?.["ms"])).toBeLessThanOrEqual(100);
    expect(Number(row?.["ms"])).toBeGreaterThan(-10_000);
  });

  test("a lease is renewed for as long as its hook runs", async () => {
    const held = withResolvers<undefined>();
    deliver = () => held.promise;
    await sendLetter(mail, "long");
    const pass = processor({ leaseMs: 90 }).process();
    const leaseEnds = new Set<unknown>();
    const text = `select ${database.dialect.toMs(`"nextRetryAt"`)} as "ms" from "fragno_hooks" where "status" = 'processing'`;
    await vi.waitFor(
      async () => {
        for (const { ms } of await query(database, text)) leaseEnds.add(ms);
        expect(leaseEnds.size).toBeGreaterThanOrEqual(3);
      },
      { timeout: 60_000 },
    );
    held.resolve(undefined);
    await pass;
    expect(await hooks()).toMatchObject([{ status: "completed", attempts: 0 }]);
    expect(deliveries).toHaveLength(1);
  });

  test("a processor says when a hook comes due that has to wait: for its next try, or for the end of a lease", async () => {
    const { toMs, nowMs } = database.dialect;
    const nextInMs = async (): Promise<number> => {
      const text = `select ${toMs(`min("nextRetryAt")`)} - ${nowMs} as "ms" from "fragno_hooks"`;
      return Number((await query(database, text))[0]?.["ms"]);
    };
    const expectSoonerThan = async (inMs: number | null): Promise<void> => {
      const later = await nextInMs();
      expect(inMs).toBeGreaterThanOrEqual(later);
      expect(inMs).toBeLessThan(later + 5000);
    };
    expect(await processor().nextDueInMs()).toBeNull();
    deliver = fail;
    await sendLetter(mail, "again");
    expect(await processor().nextDueInMs()).toBeNull();
    await processor().process();
    await expectSoonerThan(await processor().nextDueInMs());
    await takeAndDie();
    await expectSoonerThan(await processor().nextDueInMs());
    expect(await createHooksProcessor([]).nextDueInMs()).toBeNull();
  });

  test("a pass ends with its time and says that more is due", async () => {
    for (const to of ["a", "b", "c"]) await sendLetter(mail, to);
    const small = processor({ batchSize: 2 });
    expect(await small.process({ timeBudgetMs: 0 })).toEqual({ processedCount: 2, moreDue: true });
    expect(await small.process()).toEqual({ processedCount: 1, moreDue: false });
  });
});
