/** Calls of the Data API: one per batch, repeated while the database wakes. */
import type { RDSData } from "@aws-sdk/client-rds-data";
import { DatabaseError } from "../../errors.ts";
import { callText, CREATE_TEXT, isMissing } from "./batch-function.ts";
import { isResuming, sqlStateOf } from "./errors.ts";

/** The part of `RDSData` that we use. */
export type DataApiClient = Pick<RDSData, "executeStatement" | "config">;

/** Where statements run. */
export interface DataApiTarget {
  /** The cluster. */
  readonly resourceArn: string;
  /** Its user and password, in Secrets Manager. */
  readonly secretArn: string;
  /** Name of the database. */
  readonly database: string;
}

/** The settings of `DataApiCalls`; `createDataApiDatabase` fills in the defaults. */
export interface DataApiSettings {
  readonly target: DataApiTarget;
  readonly batchTimeoutMs: number | null;
  readonly resumeTimeoutMs: number;
}

const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** Headers, and everything else that the SDK writes besides the statements. */
const ENVELOPE_BYTES = 16 * 1024;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

type Input = Parameters<DataApiClient["executeStatement"]>[0];

/** The calls to one database. */
export class DataApiCalls {
  readonly #client: DataApiClient;
  readonly #settings: DataApiSettings;
  #checked = false;

  constructor(client: DataApiClient, settings: DataApiSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  /** The answer to a batch, as the Data API formats it. */
  async batch(texts: readonly string[]): Promise<string> {
    await this.#checkClient();
    assertSize(texts);
    const input = this.#callInput(texts);
    try {
      return await this.#send(input);
    } catch (error) {
      if (!isFunctionMissing(error)) throw error;
    }
    // If two processes create it at the same time, one is refused, but finds the function then.
    const creation = { ...this.#settings.target, sql: CREATE_TEXT };
    const refusal: unknown = await this.#send(creation).then(() => null, identity);
    return this.#send(input).catch((error: unknown) => {
      throw refusal !== null && isFunctionMissing(error) ? refusal : error;
    });
  }

  /** If the SDK repeated a call because its answer was lost, the batch would be applied twice. */
  async #checkClient(): Promise<void> {
    if (this.#checked) return;
    if ((await this.#client.config.maxAttempts()) !== 1) {
      const why = "the client must be made with maxAttempts: 1, or a batch may be applied twice";
      throw new DatabaseError("DATABASE_REJECTED", why);
    }
    this.#checked = true;
  }

  #callInput(texts: readonly string[]): Input {
    const parameters = texts.map((text, index) => ({
      name: `s${index + 1}`,
      value: { stringValue: text },
    }));
    const sql = callText(texts.length);
    return { ...this.#settings.target, sql, parameters, formatRecordsAs: "JSON" };
  }

  /** Repeats the call while the database is waking. */
  async #send(input: Input): Promise<string> {
    const { batchTimeoutMs, resumeTimeoutMs } = this.#settings;
    const startedAtMs = performance.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        const limit =
          batchTimeoutMs === null ? {} : { abortSignal: AbortSignal.timeout(batchTimeoutMs) };
        return (await this.#client.executeStatement(input, limit)).formattedRecords ?? "[]";
      } catch (error) {
        const delayMs = pauseMs * (0.5 + Math.random());
        const waitedMs = performance.now() - startedAtMs + delayMs;
        if (!isResuming(error) || waitedMs > resumeTimeoutMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }
}

const isFunctionMissing = (error: unknown): boolean =>
  error instanceof Error && isMissing(sqlStateOf(error), error.message);

const identity = (value: unknown): unknown => value;

function assertSize(texts: readonly string[]): void {
  const bytes = new TextEncoder().encode(JSON.stringify(texts)).length;
  if (bytes + ENVELOPE_BYTES <= MAX_REQUEST_BYTES) return;
  const why = `a batch of ${bytes} bytes: a request to the Data API has at most ${MAX_REQUEST_BYTES}`;
  throw new DatabaseError("DATABASE_REJECTED", why);
}
