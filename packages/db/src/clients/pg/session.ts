/** The settings of one connection's server session, and the statements that have to come before a batch. */
import type { BatchOptions, Row, Statement } from "../../batch.ts";
import {
  batchSettings,
  PLANNER_DEFAULTS,
  type PostgresLimits,
  sessionSettings,
  toSetConfig,
} from "../postgres-settings.ts";

/** Who uses a session. `pooled`: a pooler gives it to others between our transactions. */
type Ownership = "unknown" | "ours" | "pooled";

export class Session {
  readonly #limits: PostgresLimits;
  /** The process id that the server, or a pooler in front of it, gave when connecting. */
  readonly #processId: number;
  #ownership: Ownership;
  #isByKeys = false;
  #serverVersion = 0;

  /** @param isShared the connection is from a pool that others use as well */
  constructor(limits: PostgresLimits, processId: number, isShared: boolean) {
    this.#limits = limits;
    this.#processId = processId;
    this.#ownership = isShared ? "pooled" : "unknown";
  }

  /** In the form of `server_version_num`; 0: unknown yet. */
  get serverVersion(): number {
    return this.#serverVersion;
  }

  /** The statement to put before a batch; null: the session already has the right settings. */
  before(options: BatchOptions): Statement | null {
    const byKeys = options.byKeys === true;
    if (this.#ownership === "ours" && byKeys === this.#isByKeys) return null;
    const settings = batchSettings(this.#limits, options);
    if (this.#ownership === "pooled") {
      return toStatement([...version(this.#serverVersion), ...toSetConfig(settings, "true")], []);
    }
    if (this.#ownership === "unknown") {
      const isPooled = "pg_backend_pid() <> $1";
      const all = { ...sessionSettings(this.#limits), ...settings };
      return toStatement(
        [`pg_backend_pid() as "processId"`, VERSION, ...toSetConfig(all, isPooled)],
        [this.#processId],
      );
    }
    return toStatement(toSetConfig(byKeys ? settings : PLANNER_DEFAULTS, "false"), []);
  }

  /** Notes that the batch was committed, and with it the settings from the statement before it. */
  applied(options: BatchOptions, row: Row | undefined): void {
    this.#serverVersion = Number(row?.["serverVersion"] ?? this.#serverVersion);
    if (this.#ownership === "unknown") {
      this.#ownership = row?.["processId"] === this.#processId ? "ours" : "pooled";
    }
    this.#isByKeys = options.byKeys === true;
  }
}

const VERSION = `current_setting('server_version_num')::int as "serverVersion"`;

const version = (known: number): readonly string[] => (known === 0 ? [VERSION] : []);

const toStatement = (expressions: readonly string[], values: Statement["values"]): Statement => ({
  text: `select ${expressions.join(", ")}`,
  values,
});
