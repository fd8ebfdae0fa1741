/** Idempotency keys: each unit of work has its own, and keeps it when it is retried. */
import { ConcurrencyConflictError } from "@fragno-dev/db";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withResolvers } from "./runtime-shims.ts";
import { createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import { createJitteredRetryPolicy } from "./retry-policy.ts";
import { prepareTransaction } from "./collect-mutations.ts";
import { EMBEDDED, query, type TestServer } from "./testing/databases.ts";
import { type Mail, mailHooks, mailSchema, openMail } from "./testing/mail.ts";

const AT_ONCE = createJitteredRetryPolicy({ baseDelayMs: 0 });
const waitMs = (delayMs: number) =>
  createJitteredRetryPolicy({ baseDelayMs: delayMs, random: () => 1 });

describe("idempotency keys", () => {
  let server: TestServer;
  let adapter: FragnoAdapter;
  let mail: Mail;

  beforeAll(async () => {
    server = await EMBEDDED.start();
    adapter = createFragnoAdapter({ database: server.open() });
    mail = await openMail(adapter, () => undefined);
  });
  beforeEach(() => query(adapter.database, `delete from "fragno_hooks"`));
  afterAll(() => server.drop());

  /** Keys of the filed hooks, by their letter. */
  async function filedKeys(): Promise<Readonly<Record<string, string>>> {
    const rows = await query(adapter.database, `select "payload", "nonce" from "fragno_hooks"`);
    const entries = rows.map(({ payload, nonce }) => [
      (JSON.parse(String(payload)) as { to: string }).to,
      String(nonce),
    ]);
    return Object.fromEntries(entries) as Readonly<Record<string, string>>;
  }

  test.each(["retrieve", "transformRetrieve", "mutate"] as const)(
    "S5-048 a conflict that %s throws leaves the transaction its key",
    async (thrower) => {
      const keys: string[] = [];
      const throwOnce = (callback: typeof thrower, attempt: number): void => {
        if (callback === thrower && attempt < 2) throw new ConcurrencyConflictError();
      };
      await mail.inContext(async function () {
        let attempt = -1;
        await this.handlerTx({ retryPolicy: AT_ONCE })
          .retrieve(({ forSchema, currentAttempt, idempotencyKey }) => {
            attempt = currentAttempt;
            keys.push(idempotencyKey);
            throwOnce("retrieve", attempt);
            return forSchema(mailSchema).find("letter", (b) => b.whereIndex("primary"));
          })
          .transformRetrieve((found) => {
            throwOnce("transformRetrieve", attempt);
            return found;
          })
          .mutate(({ forSchema, currentAttempt }) => {
            throwOnce("mutate", currentAttempt);
            forSchema(mailSchema, mailHooks).triggerHook("onLetter", { to: thrower });
          })
          .execute();
      });
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      expect(await filedKeys()).toEqual({ [thrower]: keys[0] });
    },
  );

  test("S5-048 transactions of one request that conflict at the same time do not swap their keys", async () => {
    const keys: Record<string, string[]> = { slow: [], quick: [], late: [] };
    const bothRead = withResolvers<undefined>();
    await mail.inContext(async function () {
      const send = (to: string, delayMs: number): Promise<unknown> =>
        this.handlerTx({ retryPolicy: waitMs(delayMs) })
          .retrieve(({ forSchema }) =>
            forSchema(mailSchema).find("letter", (b) => b.whereIndex("primary")),
          )
          .withServiceCalls(() => [mail.services.send(to)] as const)
          .mutate(({ idempotencyKey, currentAttempt }) => {
            keys[to]?.push(idempotencyKey);
            if (to === "quick") bothRead.resolve(undefined);
            if (currentAttempt < 2) throw new ConcurrencyConflictError();
          })
          .execute();
      // The first one to conflict is retried last.
      const slow = send("slow", 20);
      const quick = send("quick", 2);
      await bothRead.promise;
      await Promise.all([slow, quick, send("late", 0)]);
    });
    for (const own of Object.values(keys)) expect(new Set(own).size).toBe(1);
    const all = Object.values(keys).flat();
    expect(new Set(all).size).toBe(3);
    expect(await filedKeys()).toEqual({
      slow: keys["slow"]?.[0],
      quick: keys["quick"]?.[0],
      late: keys["late"]?.[0],
    });
  });

  test.each(["onAfterMutate", "transform"] as const)(
    "S5-048 a conflict in %s, behind the commit, does not run the transaction again",
    async (thrower) => {
      const conflict = (where: typeof thrower): void => {
        if (where === thrower) throw new ConcurrencyConflictError();
      };
      const send = mail.inContext(function () {
        const options = {
          retryPolicy: AT_ONCE,
          onAfterMutate: async () => conflict("onAfterMutate"),
        };
        return this.handlerTx(options)
          .withServiceCalls(() => [mail.services.send("once")] as const)
          .transform(() => conflict("transform"))
          .execute();
      });
      await expect(send).rejects.toMatchObject({ code: "ALREADY_COMMITTED" });
      const letters = await query(
        adapter.database,
        `select 1 from "letter_mail" where "to" = 'once'`,
      );
      expect(letters).toHaveLength(1);
      await query(adapter.database, `delete from "letter_mail"`);
    },
  );

  test("a builder commits once, however often it is executed; one that only reads may be executed again", async () => {
    const codes = await mail.inContext(async function () {
      const builder = this.handlerTx({ retryPolicy: AT_ONCE })
        .retrieve(({ forSchema }) =>
          forSchema(mailSchema).find("letter", (b) => b.whereIndex("primary")),
        )
        .mutate(({ forSchema }) => {
          forSchema(mailSchema, mailHooks).triggerHook("onLetter", { to: "builder" });
        });
      const ends = await Promise.allSettled([builder.execute(), builder.execute()]);
      const later = await Promise.allSettled([builder.execute()]);
      return [...ends, ...later].map((end) =>
        end.status === "fulfilled" ? "fine" : String((end.reason as { code?: string }).code),
      );
    });
    expect(codes.toSorted()).toEqual(["ALREADY_COMMITTED", "ALREADY_COMMITTED", "fine"]);
    expect(Object.keys(await filedKeys())).toEqual(["builder"]);
    await mail.inContext(async function () {
      const reader = this.handlerTx().withServiceCalls(() => [mail.services.list("x")] as const);
      await reader.execute();
      await reader.execute();
    });
  });

  test("S5-048 a prepared transaction that is prepared anew keeps the key that it is given", async () => {
    const keys: string[] = [];
    const prepare = (idempotencyKey?: string) =>
      prepareTransaction(
        adapter,
        (tx) =>
          tx.mutate((context) => {
            keys.push(context.idempotencyKey);
            context.forSchema(mailSchema, mailHooks).triggerHook("onLetter", { to: "prepared" });
          }),
        idempotencyKey === undefined ? {} : { idempotencyKey },
      );
    const first = await prepare();
    first.abandon();
    const again = await prepare(first.idempotencyKey);
    const result = await adapter.database.batch(again.statements);
    if (result.kind === "committed") await again.complete(result.rows);
    expect(keys).toEqual([first.idempotencyKey, first.idempotencyKey]);
    expect(await filedKeys()).toEqual({ prepared: first.idempotencyKey });
  });
});
