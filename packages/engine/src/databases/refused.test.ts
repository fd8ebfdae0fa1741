import { writeFileSync } from "node:fs";
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import type { SqlStore } from "../stores/sql/index.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const later = (store: SqlStore): SqlStore => {
  cleanups.push(() => store.close());
  return store;
};
const quiet = { log: () => undefined };
const list = (store: SqlStore): Promise<unknown> => store.loadInstance("order", "o-1");

test.each(["auto", "check", "none"] as const)(
  "a database or a user that does not exist, or TLS that the server has not, is a mistake of the URL, with migrations: %s",
  async (migrations) => {
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    const nobody = new URL(url);
    nobody.username = "nobody";
    for (const [wrong, said] of [
      [`${url}_missing`, `_missing" does not exist`],
      [nobody.href, 'role "nobody" does not exist'],
      [`${url}?sslmode=require`, "does not support SSL connections"],
    ] as const) {
      const refusal = list(later(postgres(wrong, { logger: quiet, migrations })));
      await expect(refusal).rejects.toMatchObject({
        code: "STORE_OPTIONS_INVALID",
        message: expect.stringMatching(
          new RegExp(`${said}; expected: an existing database, a user or token .* and TLS `, "u"),
        ) as string,
      });
    }
  },
);

/** A user who may connect, and the means to give rights to it. */
async function openRights() {
  const { url, drop } = await createPostgresDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const tables = later(postgres(url, { logger: quiet }));
  await tables.migrate();
  const role = `role_${Date.now()}`;
  await owner.query(`create role ${role} login password 'secret'`);
  cleanups.push(
    drop,
    () => owner.end(),
    () => owner.query(`drop owned by ${role}; drop role ${role}`),
  );
  const address = new URL(url);
  [address.username, address.password] = [role, "secret"];
  const grant = (rights: string): Promise<unknown> => owner.query(`grant ${rights} to ${role}`);
  return { address: address.href, grant };
}

test("a right that the user lacks is a mistake of the deployment: no run ends by it, and all goes on once it is granted", async () => {
  const { address, grant } = await openRights();
  const store = later(postgres(address, { migrations: "check" }));
  const greet = defineWorkflow({ name: "greet" }, async (_event, step) => {
    await step.do("greet", () => "hi");
    await step.sleep("pause", 1);
  });
  const engine = createEngine({ workflows: { GREET: greet }, store, logger: quiet });
  const refusal = {
    code: "STORE_OPTIONS_INVALID",
    message: expect.stringMatching(
      /permission denied for (?:table|sequence) .*expected: .*read and write/u,
    ) as string,
  };
  await grant("select, update, delete on all tables in schema public");
  await grant("insert on workflow_instance_workflows, workflow_task_workflows");
  await expect(engine.workflows.GREET.create({ id: "g" })).rejects.toMatchObject(refusal);
  await grant("usage on all sequences in schema public");
  await engine.workflows.GREET.create({ id: "g" });
  await engine.tick().catch(() => null);
  expect((await engine.getInstance("greet", "g")).details.status).not.toBe("errored");
  await grant("insert on all tables in schema public");
  await expect
    .poll(
      async () => {
        await engine.tick({ lingerMs: 1000 });
        return (await engine.getInstance("greet", "g")).details.status;
      },
      { timeout: 90_000, interval: 500 },
    )
    .toBe("complete");
});

test("a server that takes no writes now, or ends what takes too long, is told of with its state", async () => {
  const { url, drop } = await createPostgresDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  cleanups.push(drop, () => owner.end());
  const reading = new URL(url);
  reading.searchParams.set("options", "-c default_transaction_read_only=on");
  await expect(list(later(postgres(reading.href, { logger: quiet })))).rejects.toThrow(
    /cannot be reached \(25006\)$/u,
  );
  await later(postgres(url, { logger: quiet })).migrate();
  await owner.query("begin; lock table workflow_instance_workflows");
  const limits = { transactionTimeoutMs: 50, lockTimeoutMs: null, migrations: "none" } as const;
  await expect(list(later(postgres(url, { logger: quiet, ...limits })))).rejects.toThrow(
    /cannot be reached \((?:57014|25P04)\)$/u,
  );
});

test("a server that is away is told of with the system's code", async () => {
  const store = later(postgres("postgres://me@127.0.0.1:1/db"));
  await expect(list(store)).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)$/u);
});

test("a file that is no database says so, with what was expected", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const file = `${directory.path}/notes.db`;
  writeFileSync(file, "These are notes. ".repeat(100));
  for (const [path, said] of [
    [file, "is not a database"],
    [directory.path, "unable to open"],
  ] as const)
    await expect(list(later(sqlite(path)))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(
        new RegExp(`${path} cannot be opened: .*${said}.*; expected a SQLite file`, "iu"),
      ) as string,
    });
});
