/**
 * The floor on an embedded file: as the one on Postgres, on the synchronous `libsql` driver with prepared statements.
 * Every statement is its own commit, which reaches the disk (WAL, synchronous=FULL).
 */
import Libsql from "libsql";
import { applyRecommendedPragmas } from "@escapement/db/sqlite";
import type { Contender } from "../contender.ts";
import type { Milestones } from "../milestones.ts";
import { CONCURRENCY } from "../sizes.ts";
import { WORK, type WorkInput, type WorkName, type WorkSteps } from "../work.ts";

const TABLES = `
  create table floor_run (id integer primary key, name text, input text, status text default 'ready', output text,
    wake_at int, event text, resumed int default 0);
  create index floor_ready on floor_run (id) where status = 'ready';
  create table floor_step (run int, k int, result text, primary key (run, k)) without rowid`;

const SQL = {
  create: "insert into floor_run (name, input) values (?, ?)",
  claim: `update floor_run set status = 'running' where id in
    (select id from floor_run where status = 'ready' order by id limit ?) returning *`,
  history: "select k, result from floor_step where run = ?",
  step: "insert into floor_step (run, k, result) values (?, ?, ?)",
  finish: "update floor_run set status = 'done', output = ? where id = ?",
  suspend: `update floor_run set status = 'waiting', wake_at = ?, resumed = 1 where id = ? and event is null`,
  wake: "update floor_run set status = 'ready' where id = ? and status = 'waiting'",
  event: "update floor_run set event = ?, status = 'ready', resumed = 1 where id = ?",
};

interface Run {
  readonly id: number;
  readonly name: WorkName;
  readonly input: string;
  readonly wake_at: number | null;
  readonly event: string | null;
  readonly resumed: number;
}

class Suspend extends Error {
  readonly wakeAtMs: number | null;
  constructor(wakeAtMs: number | null) {
    super();
    this.wakeAtMs = wakeAtMs;
  }
}

/** Creates the floor in a new file. */
export function createEmbeddedFloor(file: string, milestones: Milestones): Contender {
  const connection = new Libsql(file);
  applyRecommendedPragmas(connection);
  connection.exec(TABLES);
  return new EmbeddedFloor(connection, milestones);
}

type Name = keyof typeof SQL;
type Prepared = Readonly<Record<Name, Libsql.Statement>>;

const prepareAll = (connection: Libsql.Database): Prepared =>
  Object.fromEntries(
    Object.entries(SQL).map(([name, text]) => [name, connection.prepare(text)]),
  ) as unknown as Prepared;

class EmbeddedFloor implements Contender {
  readonly #connection: Libsql.Database;
  readonly #prepared: Prepared;
  readonly #milestones: Milestones;
  #running = 0;
  #isKicked = false;

  constructor(connection: Libsql.Database, milestones: Milestones) {
    this.#connection = connection;
    this.#prepared = prepareAll(connection);
    this.#milestones = milestones;
  }

  async start(name: WorkName, input: WorkInput): Promise<string> {
    const { lastInsertRowid } = this.#prepared.create.run([name, JSON.stringify(input)]);
    this.#kick();
    return String(lastInsertRowid);
  }

  async sendEvent(id: string, payload: unknown): Promise<void> {
    this.#prepared.event.run([JSON.stringify(payload), Number(id)]);
    this.#kick();
  }

  ended = (id: string): Promise<unknown> => this.#milestones.reached(`${id}:ended`);
  parked = (id: string): Promise<unknown> => this.#milestones.reached(`${id}:parked`);
  close = async (): Promise<void> => void this.#connection.close();

  #kick(): void {
    if (this.#isKicked) return;
    this.#isKicked = true;
    setImmediate(() => {
      this.#isKicked = false;
      if (this.#running >= CONCURRENCY) return;
      const runs = this.#prepared.claim.all([CONCURRENCY - this.#running]) as Run[];
      for (const run of runs) void this.#advance(run);
    });
  }

  async #advance(run: Run): Promise<void> {
    this.#running += 1;
    try {
      const input = JSON.parse(run.input) as WorkInput;
      const output = await WORK[run.name](this.#stepsOf(run), input, this.#milestones);
      this.#prepared.finish.run([JSON.stringify(output), run.id]);
      this.#milestones.reach(`${run.id}:ended`);
    } catch (error) {
      if (!(error instanceof Suspend)) throw error;
      this.#prepared.suspend.run([error.wakeAtMs, run.id]);
      this.#milestones.reach(`${run.id}:parked`);
      if (error.wakeAtMs !== null)
        setTimeout(() => this.#wake(run.id), error.wakeAtMs - Date.now());
    } finally {
      this.#running -= 1;
      this.#kick();
    }
  }

  #wake(id: number): void {
    this.#prepared.wake.run([id]);
    this.#kick();
  }

  #stepsOf(run: Run): WorkSteps {
    const rows = run.resumed === 1 ? this.#prepared.history.all([run.id]) : [];
    const results = new Map(
      (rows as { k: number; result: string }[]).map((row) => [row.k, row.result]),
    );
    let next = 0;
    return {
      do: async <T>(_name: string, body: () => Promise<T>): Promise<T> => {
        const k = next;
        next += 1;
        const known = results.get(k);
        if (known !== undefined) return JSON.parse(known) as T;
        const result = await body();
        this.#prepared.step.run([run.id, k, JSON.stringify(result)]);
        return result;
      },
      sleep: async (_name, durationMs) => {
        if (run.wake_at === null) throw new Suspend(Date.now() + durationMs);
      },
      event: async () => {
        if (run.event === null) throw new Suspend(null);
        return JSON.parse(run.event) as unknown;
      },
    };
  }
}
