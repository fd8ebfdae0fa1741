/** @module Metrics of an engine, in the text format of Prometheus. Only loaded if you import it. */
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import { NON_TERMINAL_STATUSES, TERMINAL_STATUSES } from "../core/model/status.ts";
import type { StatusCount } from "../ports/find-instances.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import type { EngineService } from "../ports/service.ts";
import { toErrorResponse } from "./answer.ts";
import { Family, Histogram, toFamilyText } from "./metrics-text.ts";
import { createSecretCheck, parseSecrets, readBearer } from "./secrets.ts";

/** The part of an engine that is measured. */
interface MeasuredEngine extends Pick<EngineService, "listWorkflows" | "countInstances"> {
  on<TEvent extends LifecycleEvent>(event: TEvent, listener: LifecycleListener<TEvent>): () => void;
}

/** Who may read the metrics, and how fresh they are. */
interface MetricsOptions {
  /**
   * Secrets that are accepted as `Authorization: Bearer …`; several while you rotate them. Each at least 24 random printable
   * ASCII characters.
   * @default `fetch` answers 401
   */
  readonly bearerSecret?: string | readonly string[] | undefined;
  /** How old the database's counts may be, in milliseconds. They are read no more often than that. @default 5000 */
  readonly maxAgeMs?: DurationMs;
}

/** Metrics of an engine. */
type Metrics = {
  /** All metrics in Prometheus's text format 0.0.4. Never rejects: if the database does not answer, its counts are missing. */
  text(): Promise<string>;
  /** Answers GET and HEAD with the metrics, if the request has the secret. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Stops counting. */
  stop(): void;
};

/** Counting stops at this number. */
const CAP = 10_000;

/**
 * Starts counting what this process does, by workflow: starts, ends, attempts, the lateness of waits, and runs that it holds: `const
 * metrics = collectMetrics(engine, { bearerSecret: process.env["METRICS_SECRET"] })`. Answer `/metrics` with `metrics.fetch(request)`.
 * The database's counts are read when the metrics are read.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — a weak secret
 */
export function collectMetrics(engine: MeasuredEngine, options: MetricsOptions = {}): Metrics {
  const { bearerSecret, maxAgeMs = 5000 } = options;
  const secrets = typeof bearerSecret === "string" ? [bearerSecret] : bearerSecret;
  const isKnown =
    secrets === undefined ? null : createSecretCheck(parseSecrets(secrets, "metrics.bearerSecret"));
  const { families, stop } = listen(engine);
  const count = remember(() => countLive(engine), maxAgeMs);
  const text = async (): Promise<string> => {
    const counts = await count();
    return [...families, ...toGauges(counts)].map(toFamilyText).join("");
  };
  return {
    text,
    stop,
    fetch: async (request) => {
      const given = readBearer(request);
      if (isKnown === null || given === null || !(await isKnown(given))) return refuse();
      if (request.method !== "GET" && request.method !== "HEAD")
        return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
      return new Response(request.method === "HEAD" ? null : await text(), { headers: HEADERS });
    },
  };
}

const HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const refuse = (): Response =>
  toErrorResponse(
    new WorkflowError("UNAUTHORIZED", "The bearer secret is missing or was refused."),
    { "www-authenticate": "Bearer" },
  );

const OUTCOMES = ["succeeded", "failed"] as const;

interface Listened {
  readonly families: readonly Family[];
  readonly stop: () => void;
}

function listen(engine: MeasuredEngine): Listened {
  const started = new Family("instances_started_total", "counter", "Runs started by this process.");
  const ended = new Family("instances_ended_total", "counter", "Runs ended by this process.");
  const failed = new Family("runs_failed_total", "counter", "Failed runs that were started again.");
  const attempts = new Family("attempts_total", "counter", "Attempts at steps that have ended.");
  const held = new Family("runs_held", "gauge", "Runs that this process holds now.");
  const ticks = new Family("ticks_total", "counter", "Ticks that have ended.");
  const lateness = new Histogram(
    "wait_lateness_seconds",
    "From the instant, or the event, that ended a wait until its run continued.",
  );
  const stops = [
    engine.on("instanceStarted", ({ workflowName: workflow }) => started.add({ workflow }, 1)),
    engine.on("instanceEnded", ({ workflowName: workflow, status }) =>
      ended.add({ workflow, status }, 1),
    ),
    engine.on("runFailed", ({ workflowName: workflow }) => failed.add({ workflow }, 1)),
    engine.on("attemptSucceeded", ({ workflowName: workflow }) =>
      attempts.add({ workflow, outcome: "succeeded" }, 1),
    ),
    engine.on("attemptFailed", ({ workflowName: workflow }) =>
      attempts.add({ workflow, outcome: "failed" }, 1),
    ),
    engine.on("runClaimed", ({ workflowName: workflow }) => held.add({ workflow }, 1)),
    engine.on("runLeft", ({ workflowName: workflow }) => held.add({ workflow }, -1)),
    engine.on("waitEnded", ({ workflowName: workflow, latenessMs }) => {
      if (latenessMs !== null) lateness.observe({ workflow }, latenessMs / 1000);
    }),
    engine.on("tickEnded", (tick) =>
      ticks.add({ outcome: tick.failed ? "failed" : "succeeded" }, 1),
    ),
  ];
  // Otherwise a query that compares, say, failed with succeeded attempts finds nothing before both have happened.
  for (const outcome of OUTCOMES) ticks.add({ outcome }, 0);
  for (const { name: workflow } of engine.listWorkflows()) {
    for (const family of [started, failed, held]) family.add({ workflow }, 0);
    for (const status of TERMINAL_STATUSES) ended.add({ workflow, status }, 0);
    for (const outcome of OUTCOMES) attempts.add({ workflow, outcome }, 0);
  }
  return {
    families: [started, ended, failed, attempts, held, ticks, lateness],
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

/** null: the database did not answer. */
async function countLive(engine: MeasuredEngine): Promise<readonly StatusCount[] | null> {
  if (engine.listWorkflows().length === 0) return [];
  try {
    const { counts } = await engine.countInstances({ status: NON_TERMINAL_STATUSES, cap: CAP });
    return await countOn(engine, counts);
  } catch {
    return null;
  }
}

/** About how many trips continue the count. */
const MORE_TRIPS = 10;

/** Of many workflows a statement counts few of each: those that had more are counted again, a few in a trip. */
async function countOn(
  engine: MeasuredEngine,
  counts: readonly StatusCount[],
): Promise<readonly StatusCount[]> {
  const cut = counts.filter(({ isCapped, count }) => isCapped && count < CAP);
  const size = Math.max(2, Math.ceil(cut.length / MORE_TRIPS));
  const counted = new Map(counts.map((one) => [`${one.workflowName} ${one.status}`, one]));
  for (const status of NON_TERMINAL_STATUSES) {
    const names = cut.filter((one) => one.status === status).map((one) => one.workflowName);
    for (let at = 0; at < names.length; at += size) {
      const workflows = names.slice(at, at + size);
      const again = await engine.countInstances({ workflows, status: [status], cap: CAP });
      for (const one of again.counts) counted.set(`${one.workflowName} ${one.status}`, one);
    }
  }
  return [...counted.values()];
}

function toGauges(counts: readonly StatusCount[] | null): readonly Family[] {
  const up = new Family("database_up", "gauge", "1 if the database answered.");
  up.add({}, counts === null ? 0 : 1);
  const live = new Family(
    "instances",
    "gauge",
    `Instances in the database that have not ended. Counting stops at ${CAP}, or earlier if many statuses reach that.`,
  );
  const capped = new Family(
    "instances_capped",
    "gauge",
    "1 if there may be more than were counted.",
  );
  for (const { workflowName: workflow, status, count, isCapped } of counts ?? []) {
    live.add({ workflow, status }, count);
    if (isCapped) capped.add({ workflow, status }, 1);
  }
  return [up, live, capped];
}

/** A query that never returns is given up after this time. */
const LOST_MS = 30_000;

/** Asks again once an answer is old, measured from its arrival. A slow database gets one query at a time. */
function remember<T>(ask: () => Promise<T>, maxAgeMs: DurationMs): () => Promise<T> {
  let last: Promise<T> | null = null;
  let staleAtMs = 0;
  return () => {
    if (last !== null && performance.now() < staleAtMs) return last;
    staleAtMs = performance.now() + LOST_MS;
    const asking = ask().finally(() => {
      if (asking === last) staleAtMs = performance.now() + maxAgeMs;
    });
    last = asking;
    return asking;
  };
}
