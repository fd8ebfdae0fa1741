/**
 * Bytes that a workflow of three steps (W1) adds to Postgres's write-ahead log, ours and the floor's. Counted, not timed: other work
 * on the machine does not matter, but nobody else may write to the server.
 */
import type { Database } from "@escapement/db";
import type { Contender } from "../contender.ts";
import { Milestones } from "../milestones.ts";
import { createOurs } from "../ours.ts";
import { CONCURRENCY } from "../sizes.ts";
import type { Stage } from "../stores/stage.ts";
import { inParallel } from "../workloads/in-parallel.ts";
import type { ExtraLine } from "./measure-extras.ts";

const COUNT = 1000;

/** The first writes to a page after a checkpoint log all of it: they are not of the work, and fall into the warm-up. */
const WARM_UP = 300;

type Drive = (contender: Contender, count: number) => Promise<unknown>;

const startOne = (contender: Contender): Promise<string> =>
  contender.start("three", { key: "log" });

/** As the workloads of W1 do. */
const WAYS: Readonly<Record<string, Drive>> = {
  "one at a time": (contender, count) =>
    inParallel(count, 1, async () => contender.ended(await startOne(contender))),
  async [`${COUNT} at once`](contender, count) {
    const ids = await inParallel(count, CONCURRENCY, () => startOne(contender));
    await Promise.all(ids.map((id) => contender.ended(id)));
  },
};

/** Opens both sides, one after the other. The stage is removed afterwards. */
export async function measureLog(stage: Stage): Promise<readonly ExtraLine[]> {
  const milestones = new Milestones();
  const database = stage.openDatabase(1);
  try {
    const floor = await measureSide(database, await stage.openFloor(milestones));
    const ours = await measureSide(database, createOurs(stage.openStore(), milestones));
    return Object.keys(WAYS).map((way, index) => {
      const [own = 0, least = 0] = [ours[index], floor[index]];
      const value = `${Math.round(own)} bytes, floor ${Math.round(least)}: ${(own / least).toFixed(2)}`;
      return { name: `log: three steps, ${way}`, value };
    });
  } finally {
    await database.close();
    await stage.remove();
  }
}

/** Bytes of an instance, by way. Closes the contender. */
async function measureSide(database: Database, contender: Contender): Promise<readonly number[]> {
  const bytes: number[] = [];
  try {
    for (const drive of Object.values(WAYS)) {
      await ask(database, "checkpoint");
      await drive(contender, WARM_UP);
      await ask(database, NO_AUTOVACUUM);
      const before = await ask(database, POSITION);
      await drive(contender, COUNT);
      bytes.push(((await ask(database, POSITION)) - before) / COUNT);
    }
    return bytes;
  } finally {
    await contender.close();
  }
}

/** Of a slow run it would analyse tables more often, and write what it finds to the same log. The warm-up has made the tables. */
const NO_AUTOVACUUM = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = current_schema() loop
    execute format('alter table %I set (autovacuum_enabled = false)', name);
  end loop;
end $$`;

const POSITION = `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as "bytes"`;

async function ask(database: Database, text: string): Promise<number> {
  const result = await database.batch([{ text, values: [] }]);
  return result.kind === "committed" ? Number(result.rows[0]?.[0]?.["bytes"]) : Number.NaN;
}
