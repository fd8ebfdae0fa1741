/** What internals.ts says about the library, checked with the installed library. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { TypedUnitOfWork } from "@fragno-dev/db/unit-of-work";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCondition } from "./conditions.ts";
import { createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import {
  type FindOperation,
  HOOK_STATUSES,
  HOOKS_TABLE,
  INTERNAL_NAMESPACE,
  INTERNAL_SCHEMA_VERSION,
  isInternalSchema,
  PRIMARY_INDEX,
  SETTINGS_TABLE,
  toHookScan,
  toMaxAttempts,
  toVersionKey,
  VERSION,
  INTERNAL_ID,
} from "./internals.ts";
import { KNOWN_VERSIONS } from "./library-version.ts";
import { EMBEDDED, query, type TestServer } from "./testing/databases.ts";
import { type Mail, mailSchema, openMail, sendLetter } from "./testing/mail.ts";

const require = createRequire(import.meta.url);

/** The manifest of an installed package, found from one of its modules. */
function versionOf(name: string): unknown {
  const path = require.resolve(name);
  const folder = path.slice(0, path.indexOf(`/${name}/`) + name.length + 2);
  return (JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string }).version;
}

describe("the installed library", () => {
  let server: TestServer;
  let adapter: FragnoAdapter;
  let mail: Mail;

  beforeAll(async () => {
    server = await EMBEDDED.start();
    adapter = createFragnoAdapter({ database: server.open() });
    mail = await openMail(adapter, () => undefined);
  });
  afterAll(() => server.drop());

  const internal = () => mail.$internal.linkedFragments._fragno_internal;

  /** The read that a call of Fragno's own hook service makes. */
  async function readOf(
    call: "getPendingHookEvents" | "getHooksByNamespace",
  ): Promise<FindOperation> {
    const found: FindOperation[] = [];
    await internal().inContext(async function () {
      await this.handlerTx({
        onBeforeMutate: (uow) => found.push(...(uow.getRetrievalOperations() as FindOperation[])),
      })
        .withServiceCalls(() => [internal().services.hookService[call]("mail")] as const)
        .execute();
    });
    const [op] = found;
    if (op === undefined) throw new RangeError("the service reads nothing");
    return op;
  }

  test("is the version that internals.ts was read from; read the library again before changing this", () => {
    expect({
      "@fragno-dev/db": versionOf("@fragno-dev/db"),
      "@fragno-dev/core": versionOf("@fragno-dev/core"),
    }).toEqual(KNOWN_VERSIONS);
  });

  test("keeps settings and hooks in the tables, columns and indexes that we know, without a suffix", () => {
    const { schema, namespace } = internal().$internal.deps;
    expect(namespace).toBe(INTERNAL_NAMESPACE);
    expect(isInternalSchema(schema)).toBe(true);
    expect(schema.version).toBe(INTERNAL_SCHEMA_VERSION);
    const columnsOf = (name: string) => Object.keys(schema.tables[name as never]["columns"]);
    expect(columnsOf(SETTINGS_TABLE)).toEqual(["id", "key", "value", INTERNAL_ID, VERSION]);
    expect(columnsOf(HOOKS_TABLE)).toEqual([
      "id",
      "namespace",
      "hookName",
      "payload",
      "status",
      "attempts",
      "maxAttempts",
      "lastAttemptAt",
      "nextRetryAt",
      "error",
      "createdAt",
      "nonce",
      INTERNAL_ID,
      VERSION,
    ]);
  });

  test("looks for due hooks by the read that we know, and by that alone", async () => {
    const scan = await readOf("getPendingHookEvents");
    expect(toHookScan(scan, buildCondition(scan.table, scan.options.where))).toBe("mail");
    const listing = await readOf("getHooksByNamespace");
    expect(toHookScan(listing, buildCondition(listing.table, listing.options.where))).toBeNull();
  });

  test("files hooks with the statuses and attempts that we know", async () => {
    await sendLetter(mail, "filed");
    const [hook] = await query(adapter.database, `select * from "fragno_hooks"`);
    expect(hook).toMatchObject({ namespace: "mail", hookName: "onLetter", maxAttempts: 5 });
    expect(HOOK_STATUSES).toContain(hook?.["status"]);
    expect(toMaxAttempts(undefined)).toBe(5);
    expect(toMaxAttempts({ retryPolicy: { shouldRetry: (attempt) => attempt < 3 } })).toBe(1);
  });

  test("calls the primary index as we know, and records versions under the key that we know", async () => {
    const uow = mail.$internal.deps.db.createUnitOfWork();
    uow.find("letter", (b) => b.whereIndex("primary"));
    expect(uow.getRetrievalOperations()[0]?.indexName).toBe(PRIMARY_INDEX);
    const sql = adapter.prepareMigrations(mailSchema, "mail").getSQL(0);
    expect(sql).toContain(`'${toVersionKey("mail")}'`);
  });

  test("resets the request's unit of work at each try, and takes it from the request's store", async () => {
    await mail.inContext(async function () {
      const before = adapter.contextStorage.getStore().uow;
      expect(before).toBeInstanceOf(TypedUnitOfWork);
      await this.handlerTx().execute();
      const after = adapter.contextStorage.getStore().uow;
      expect(after).not.toBe(before);
      expect(after.state).toBe("executed");
    });
  });
});
