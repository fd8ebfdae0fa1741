/** Hooks that run, fail and are retried, and when. */
import { NoRetryPolicy } from "@fragno-dev/db";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createHooksProcessor } from "./processor.ts";
import { query, SERVERS, type TestServer } from "../testing/databases.ts";
import { mailHooks, mailSchema, sendLetter } from "../testing/mail.ts";
import { fail, openPostOffice, type PostOffice } from "../testing/post-office.ts";

/** An object that throws whatever is done with it. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe.each(SERVERS)("hook processor on $name", ({ start }) => {
  let server: TestServer;
  let office: PostOffice;

  beforeAll(async () => {
    server = await start();
    office = await openPostOffice(server);
  });
  afterEach(() => office.empty());
  afterAll(() => server.drop());

  test("a hook that fails is tried again later, and later still, with the same idempotency key", async () => {
    office.deliver = fail;
    await sendLetter(office.mail, "ann");
    await office.processor().process();
    expect(await office.hooks()).toMatchObject([
      { status: "pending", attempts: 1, error: "post office closed" },
    ]);
    expect(await office.delayMs()).toSatisfy((ms: number) => ms > 50 && ms <= 101);
    office.database.advance(1000);
    await office.processor().process();
    expect(office.deliveries).toHaveLength(2);
    expect(await office.delayMs()).toSatisfy((ms: number) => ms > 150 && ms <= 201);
    office.deliver = () => undefined;
    office.database.advance(10_000);
    await office.processor().process();
    expect(await office.hooks()).toMatchObject([{ status: "completed", attempts: 2 }]);
    expect(new Set(office.deliveries.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test.each([
    ["an object that has no text", () => ({ toString: fail })],
    ["a revoked proxy", () => revoked()],
    ["an object without a prototype", () => Object.create(null) as object],
  ])("S2-015 a hook that throws %s has failed like any other", async (_what, thrown) => {
    office.deliver = () => {
      // oxlint-disable-next-line typescript/only-throw-error -- what authors' code may do
      throw thrown();
    };
    await sendLetter(office.mail, "odd");
    await office.processor().process();
    expect(await office.hooks()).toMatchObject([
      { status: "pending", attempts: 1, error: expect.stringContaining("threw") as string },
    ]);
  });

  test("S2-015 an error that no column takes, or that is very long, is cut to what is stored", async () => {
    office.deliver = () => {
      throw new RangeError(`a\0b${"x".repeat(1_000_000)}`);
    };
    await sendLetter(office.mail, "long");
    await office.processor().process();
    const [hook] = await office.hooks();
    expect(hook).toMatchObject({ status: "pending", attempts: 1 });
    expect(String(hook?.["error"])).toMatch(/^a\u{fffd}bx+$/u);
    expect(String(hook?.["error"]).length).toBeLessThanOrEqual(10_000);
  });

  test("a hook gets the attempts that its trigger allowed and no more", async () => {
    office.deliver = fail;
    await sendLetter(office.mail, "five");
    await office.mail.inContext(function () {
      return this.handlerTx()
        .mutate(({ forSchema }) => {
          const uow = forSchema(mailSchema, mailHooks);
          uow.triggerHook("onLetter", { to: "once" }, { retryPolicy: new NoRetryPolicy() });
        })
        .execute();
    });
    for (let pass = 0; pass < 8; pass += 1) {
      await office.processor().process();
      office.database.advance(20_000);
    }
    const tries = (to: string): number =>
      office.deliveries.filter((delivery) => delivery.to === to).length;
    expect([tries("five"), tries("once")]).toEqual([5, 1]);
    expect(await office.hooks()).toMatchObject([
      { status: "failed", attempts: 5 },
      { status: "failed", attempts: 1 },
    ]);
  });

  test("S2-009 S2-031 S2-032 S2-045 the next try is reckoned by the database's clock, however wrong this process's is", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    office.deliver = fail;
    await sendLetter(office.mail, "skewed");
    await office.processor().process();
    vi.useRealTimers();
    const [row] = await query(
      office.database,
      `select ${office.database.dialect.toMs(`"nextRetryAt"`)} - ${office.database.dialect.nowMs} as "ms" from "fragno_hooks"`,
    );
    expect(Number(row?.["ms"])).toBeLessThanOrEqual(100);
    expect(Number(row?.["ms"])).toBeGreaterThan(-600_000);
  });

  test("a processor says when a hook comes due that has to wait: for its next try, or for the end of a lease", async () => {
    const { toMs, nowMs } = office.database.dialect;
    const nextInMs = async (): Promise<number> => {
      const text = `select ${toMs(`min("nextRetryAt")`)} - ${nowMs} as "ms" from "fragno_hooks"`;
      return Number((await query(office.database, text))[0]?.["ms"]);
    };
    const expectSoonerThan = async (inMs: number | null): Promise<void> => {
      const later = await nextInMs();
      expect(inMs).toBeGreaterThanOrEqual(later);
      expect(inMs).toBeLessThan(later + 5000);
    };
    expect(await office.processor().nextDueInMs()).toBeNull();
    office.deliver = fail;
    await sendLetter(office.mail, "again");
    expect(await office.processor().nextDueInMs()).toBeNull();
    await office.processor().process();
    await expectSoonerThan(await office.processor().nextDueInMs());
    await office.takeAndDie();
    await expectSoonerThan(await office.processor().nextDueInMs());
    expect(await createHooksProcessor([]).nextDueInMs()).toBeNull();
  });

  test("a pass ends with its time and says that more is due", async () => {
    for (const to of ["a", "b", "c"]) await sendLetter(office.mail, to);
    const small = office.processor({ batchSize: 2 });
    expect(await small.process({ timeBudgetMs: 0 })).toEqual({ processedCount: 2, moreDue: true });
    expect(await small.process()).toEqual({ processedCount: 1, moreDue: false });
  });
});
