/** Polling for durable hooks. */
import { instantiate } from "@fragno-dev/core";
import { GenericSQLAdapter } from "@fragno-dev/db/adapters/generic-sql";
import { PostgresDialect } from "@fragno-dev/db/dialects";
import { NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import { describe, expect, test } from "vitest";
import type { Database } from "@escapement/db";
import { DatabaseError } from "@escapement/db/client";
import {
  collectMutations,
  type MutationContext,
  prepareTransaction,
} from "../collect-mutations.ts";
import { createHooksProcessor } from "./processor.ts";
import { createFragnoAdapter } from "../adapter.ts";
import { withResolvers } from "../runtime-shims.ts";
import { EMBEDDED, POSTGRES } from "../testing/databases.ts";
import { mailHooks, mailSchema, openMail, sendLetter } from "../testing/mail.ts";
import { defineShop, openShop } from "../testing/shop.ts";

describe("polling", () => {
  test("S2-015 runs hooks until it is stopped, and survives a database that is gone", async () => {
    const server = await EMBEDDED.start();
    const database = server.open();
    const delivered = withResolvers<string>();
    const mail = await openMail(createFragnoAdapter({ database }), ({ to }) =>
      delivered.resolve(to),
    );
    const failed = withResolvers<unknown>();
    const processor = createHooksProcessor([mail], {
      pollIntervalMs: 1,
      onError: failed.resolve,
    });
    processor.startPolling();
    processor.startPolling();
    await sendLetter(mail, "polled");
    expect(await delivered.promise).toBe("polled");
    await database.close();
    expect(await failed.promise).toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    await processor.stopPolling();
    await server.drop();
  });

  test("S2-014 hooks that this process files, by whatever way, run at once and not at the next poll", async () => {
    const server = await EMBEDDED.start();
    const adapter = createFragnoAdapter({ database: server.open() });
    const delivered: string[] = [];
    const mail = await openMail(adapter, ({ to }) => void delivered.push(to));
    const processor = createHooksProcessor([mail], { pollIntervalMs: 3_600_000 });
    processor.startPolling();
    await sendLetter(mail, "by request");
    await expect.poll(() => delivered).toEqual(["by request"]);
    const trigger = (to: string) => (context: MutationContext) =>
      context.forSchema(mailSchema, mailHooks).triggerHook("onLetter", { to });
    const collected = collectMutations(adapter, trigger("collected"));
    await adapter.database.batch(collected.statements);
    collected.noteCommit();
    await expect.poll(() => delivered).toEqual(["by request", "collected"]);
    const prepared = await prepareTransaction(adapter, (tx) => tx.mutate(trigger("prepared")));
    const result = await adapter.database.batch(prepared.statements);
    if (result.kind === "committed") await prepared.complete(result.rows);
    await expect.poll(() => delivered.at(-1)).toBe("prepared");
    await Promise.all(["a", "b", "c"].map((to) => sendLetter(mail, to)));
    await expect.poll(() => delivered.length).toBe(6);
    await processor.stopPolling();
    await sendLetter(mail, "nobody polls");
    expect(delivered).toHaveLength(6);
    await server.drop();
  });

  test("S2-015 an onError that throws stops neither polling nor the hooks beside, and rejects nothing", async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", onUnhandled);
    const server = await EMBEDDED.start();
    const real = server.open();
    let fails = 0;
    const database: Database = {
      dialect: real.dialect,
      batch: (statements) => {
        fails -= 1;
        return fails >= 0
          ? Promise.reject(new DatabaseError("DATABASE_REJECTED", "refused by the test"))
          : real.batch(statements);
      },
      close: () => real.close(),
    };
    const delivered: string[] = [];
    const mail = await openMail(createFragnoAdapter({ database }), ({ to }) => {
      delivered.push(to);
      if (to === "unmarked") fails = 1;
    });
    let told = 0;
    const processor = createHooksProcessor([mail], {
      pollIntervalMs: 1,
      batchSize: 1,
      onError: () => {
        told += 1;
        throw new RangeError("the logger is broken");
      },
    });
    processor.startPolling();
    fails = 1;
    await expect.poll(() => told).toBe(1);
    await sendLetter(mail, "unmarked");
    await expect.poll(() => told).toBe(2);
    await sendLetter(mail, "after");
    await expect.poll(() => delivered).toEqual(["unmarked", "after"]);
    await processor.stopPolling();
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
    await server.drop();
  });

  test("of several fragments only those with something due are asked", async () => {
    const server = await POSTGRES.start();
    const adapter = createFragnoAdapter({ database: server.open() });
    const delivered: string[] = [];
    const mail = await openMail(adapter, ({ to }) => void delivered.push(to));
    const processor = createHooksProcessor([await openShop(adapter), mail]);
    expect(await processor.process()).toEqual({ processedCount: 0, moreDue: false });
    await sendLetter(mail, "due");
    expect(await processor.process()).toEqual({ processedCount: 1, moreDue: false });
    expect(delivered).toEqual(["due"]);
    await server.drop();
  });

  test("a fragment on another adapter is refused", () => {
    const stock = new GenericSQLAdapter({
      dialect: new PostgresDialect({ pool: () => Promise.reject(new RangeError("none")) }),
      driverConfig: new NodePostgresDriverConfig(),
    });
    const shop = instantiate(defineShop())
      .withConfig({})
      .withRoutes([])
      .withOptions({ databaseAdapter: stock })
      .build();
    expect(() => createHooksProcessor([shop])).toThrow(
      expect.objectContaining({ code: "INVALID_QUERY" }),
    );
  });
});
