/** Hooks whose processor dies, or whose lease is lost, held or renewed. */
import { NoRetryPolicy } from "@fragno-dev/db";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { withResolvers } from "../runtime-shims.ts";
import { query, SERVERS, type TestServer } from "../testing/databases.ts";
import { mailHooks, mailSchema, sendLetter } from "../testing/mail.ts";
import { fail, LEASE_MS, openPostOffice, type PostOffice } from "../testing/post-office.ts";

describe.each(SERVERS)("leases of hooks on $name", ({ start }) => {
  let server: TestServer;
  let office: PostOffice;

  beforeAll(async () => {
    server = await start();
    office = await openPostOffice(server);
  });
  afterEach(() => office.empty());
  afterAll(() => server.drop());

  test("a hook that another transaction holds is passed over, and the others are run without a wait for it", async () => {
    await sendLetter(office.mail, "held");
    await sendLetter(office.mail, "free");
    const holdsLocks = office.database.dialect.name === "postgres";
    if (!holdsLocks) return;
    const order: string[] = [];
    const held = office.database
      .batch([
        {
          text: `select 1 from "fragno_hooks" where cast("payload" as text) like '%held%' for update`,
          values: [],
        },
        { text: "select pg_sleep(3)", values: [] },
      ])
      .then(() => order.push("let go"));
    // The lock exists once the database says so.
    await expect
      .poll(() =>
        query(office.database, `select 1 as "one" from pg_locks where "mode" = 'RowShareLock'`),
      )
      .not.toEqual([]);
    await office.processor().process();
    order.push("processed");
    expect(office.deliveries).toMatchObject([{ to: "free" }]);
    await held;
    expect(order).toEqual(["processed", "let go"]);
  });

  test("a dead processor's hook is taken over when its lease ends, and the death counts as an attempt", async () => {
    await sendLetter(office.mail, "orphan");
    await office.takeAndDie();
    await office.processor().process();
    expect(office.deliveries).toEqual([]);
    office.database.advance(LEASE_MS + 1);
    await office.processor().process();
    expect(office.deliveries).toMatchObject([{ to: "orphan" }]);
    expect(await office.hooks()).toMatchObject([{ status: "completed", attempts: 1 }]);
  });

  test("a hook that kills every processor fails in the end instead of killing for ever", async () => {
    await sendLetter(office.mail, "killer");
    const internal = office.mail.$internal.linkedFragments._fragno_internal;
    /** Takes due hooks, and dies. */
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
      office.database.advance(300_001);
    }
    expect(taken).toBe(10);
    expect(await office.hooks()).toMatchObject([
      { status: "failed", attempts: 10, error: "The processor died or lost its lease" },
    ]);
    expect(await office.processor().process()).toEqual({ processedCount: 0, moreDue: false });
    expect(office.deliveries).toEqual([]);
  });

  test("S2-015 a hook of one attempt runs although its claim's answer was lost, and fails for good only when it has failed", async () => {
    const send = (to: string) =>
      office.mail.inContext(function () {
        return this.handlerTx()
          .mutate(({ forSchema }) => {
            const options = { retryPolicy: new NoRetryPolicy() };
            forSchema(mailSchema, mailHooks).triggerHook("onLetter", { to }, options);
          })
          .execute();
      });
    await send("unheard");
    // Claimed, without anybody knowing.
    await office.takeAndDie();
    office.database.advance(LEASE_MS + 1);
    await office.processor().process();
    expect(office.deliveries).toMatchObject([{ to: "unheard" }]);
    expect(await office.hooks()).toMatchObject([{ status: "completed" }]);
    await query(office.database, `delete from "fragno_hooks"`);
    await send("bad");
    await office.takeAndDie();
    office.database.advance(LEASE_MS + 1);
    office.deliver = fail;
    await office.processor().process();
    expect(await office.hooks()).toMatchObject([{ status: "failed", error: "post office closed" }]);
  });

  test("a processor that lost its lease changes nothing, and the hooks beside it are marked all the same", async () => {
    const held = withResolvers<undefined>();
    const begun = withResolvers<undefined>();
    office.deliver = async ({ to }) => {
      if (to !== "slow") return;
      begun.resolve(undefined);
      await held.promise;
    };
    await sendLetter(office.mail, "slow");
    await sendLetter(office.mail, "quick");
    const stale = office.processor().process();
    await begun.promise;
    await query(
      office.database,
      `update "fragno_hooks" set "nextRetryAt" = null where "_internalId" = (select min("_internalId") from "fragno_hooks")`,
    );
    office.deliver = () => undefined;
    await office.processor().process();
    expect(await office.hooks()).toMatchObject([{ status: "completed", attempts: 1 }, {}]);
    held.resolve(undefined);
    await stale;
    expect(await office.hooks()).toMatchObject([
      { status: "completed", attempts: 1 },
      { status: "completed", attempts: 0 },
    ]);
  });

  test("a lease is renewed for as long as its hook runs", async () => {
    const held = withResolvers<undefined>();
    office.deliver = () => held.promise;
    await sendLetter(office.mail, "long");
    const pass = office.processor({ leaseMs: 90 }).process();
    const leaseEnds = new Set<unknown>();
    const text = `select ${office.database.dialect.toMs(`"nextRetryAt"`)} as "ms" from "fragno_hooks" where "status" = 'processing'`;
    await vi.waitFor(
      async () => {
        for (const { ms } of await query(office.database, text)) leaseEnds.add(ms);
        expect(leaseEnds.size).toBeGreaterThanOrEqual(3);
      },
      { timeout: 60_000 },
    );
    held.resolve(undefined);
    await pass;
    expect(await office.hooks()).toMatchObject([{ status: "completed", attempts: 0 }]);
    expect(office.deliveries).toHaveLength(1);
  });
});
