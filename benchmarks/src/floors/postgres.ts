/**
 * The floor on Postgres: about the least SQL that still makes a durable workflow. Create 1 insert, claim 1 update,
 * 1 insert a step, finish 1 update, named statements. No retries, leases, history, validation or recovery: a lower
 * bound for ratios, not an engine.
 */
import pg from "pg";
import type { Contender } from "../contender.ts";
import type { Milestones } from "../milestones.ts";
import { CONCURRENCY, CONNECTIONS } from "../sizes.ts";
import { WORK, type WorkInput, type WorkName, type WorkSteps } from "../work.ts";

const TABLES = `
  create table floor_run (id bigserial primary key, name text not null, input jsonb, status text not null default 'ready',
    output jsonb, wake_at bigint, event jsonb, resumed boolean not null default false);
  create index on floor_run (id) where status = 'ready';
  create table floor_step (run bigint not null, k int not null, result jsonb, primary key (run, k))`;

const SQL = {
  create: "insert into floor_run (name, input) values ($1, $2) returning id",
  claim: `update floor_run set status = 'running' where id in (select id from floor_run where status = 'ready'
    order by id limit $1 for update skip locked) returning *`,
  history: "select k, result from floor_step where run = $1",
  step: "insert into floor_step (run, k, result) values ($1, $2, $3)",
  finish: "update floor_run set status = 'done', output = $2 where id = $1",
  suspend: `update floor_run set status = 'waiting', wake_at = $2, resumed = true where id = $1 and event is null`,
  wake: "update floor_run set status = 'ready' where id = $1 and status = 'waiting'",
  event: "update floor_run set event = $2, status = 'ready', resumed = true where id = $1",
};

interface Run {
  readonly id: string;
  readonly name: WorkName;
  readonly input: WorkInput;
  readonly wake_at: string | null;
  readonly event: unknown;
  readonly resumed: boolean;
}

/** Thrown to leave a run that must wait; unlike ours, an author's `catch` would see it. */
class Suspend extends Error {
  readonly wakeAtMs: number | null;
  constructor(wakeAtMs: number | null) {
    super();
    this.wakeAtMs = wakeAtMs;
  }
}

/** Creates the floor's tables in an empty database and its engine. */
export async function createPostgresFloor(url: string, milestones: Milestones): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(TABLES);
  return new PostgresFloor(pool, milestones);
}

class PostgresFloor implements Contender {
  readonly #pool: pg.Pool;
  readonly #milestones: Milestones;
  #running = 0;
  #isClaiming = false;
  #mayFindMore = false;

  constructor(pool: pg.Pool, milestones: Milestones) {
    this.#pool = pool;
    this.#milestones = milestones;
  }

  async start(name: WorkName, input: WorkInput): Promise<string> {
    const rows = await this.#query("create", [name, JSON.stringify(input)]);
    this.#kick();
    return (rows as { id: string }[])[0]?.id ?? "";
  }

  async sendEvent(id: string, payload: unknown): Promise<void> {
    await this.#query("event", [id, JSON.stringify(payload)]);
    this.#kick();
  }

  ended = (id: string): Promise<unknown> => this.#milestones.reached(`${id}:ended`);
  parked = (id: string): Promise<unknown> => this.#milestones.reached(`${id}:parked`);
  close = (): Promise<void> => this.#pool.end();

  async #query(name: keyof typeof SQL, values: unknown[]): Promise<unknown[]> {
    return (await this.#pool.query({ name, text: SQL[name], values })).rows;
  }

  #kick(): void {
    this.#mayFindMore = true;
    if (!this.#isClaiming && this.#running < CONCURRENCY) void this.#claim();
  }

  async #claim(): Promise<void> {
    const wanted = CONCURRENCY - this.#running;
    this.#isClaiming = true;
    this.#mayFindMore = false;
    const runs = (await this.#query("claim", [wanted])) as Run[];
    this.#isClaiming = false;
    this.#running += runs.length;
    for (const run of runs) void this.#advance(run);
    if (this.#mayFindMore || runs.length === wanted) this.#kick();
  }

  async #advance(run: Run): Promise<void> {
    try {
      const output = await WORK[run.name](await this.#stepsOf(run), run.input, this.#milestones);
      await this.#query("finish", [run.id, JSON.stringify(output)]);
      this.#milestones.reach(`${run.id}:ended`);
    } catch (error) {
      if (!(error instanceof Suspend)) throw error;
      await this.#query("suspend", [run.id, error.wakeAtMs]);
      this.#milestones.reach(`${run.id}:parked`);
      if (error.wakeAtMs !== null)
        setTimeout(() => void this.#wake(run.id), error.wakeAtMs - Date.now());
    } finally {
      this.#running -= 1;
      if (this.#mayFindMore) this.#kick();
    }
  }

  async #wake(id: string): Promise<void> {
    await this.#query("wake", [id]);
    this.#kick();
  }

  async #stepsOf(run: Run): Promise<WorkSteps> {
    const rows = run.resumed ? await this.#query("history", [run.id]) : [];
    const results = new Map(
      (rows as { k: number; result: unknown }[]).map((row) => [row.k, row.result]),
    );
    let next = 0;
    return {
      do: async <T>(_name: string, body: () => Promise<T>): Promise<T> => {
        const k = next;
        next += 1;
        if (results.has(k)) return results.get(k) as T;
        const result = await body();
        await this.#query("step", [run.id, k, JSON.stringify(result)]);
        return result;
      },
      sleep: async (_name, durationMs) => {
        if (run.wake_at === null) throw new Suspend(Date.now() + durationMs);
      },
      event: async () => {
        if (run.event === null) throw new Suspend(null);
        return run.event;
      },
    };
  }
}
