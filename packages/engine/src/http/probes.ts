/**
 * @module Health and readiness probes, for whatever decides whether a process lives and whether it gets requests. Anyone may ask: the
 * answer is one word, and many requests cost no more than one. Loaded with the first probe.
 */
import { toLogFields } from "../core/errors.ts";
import { refuseUnmatched, toJsonResponse } from "./answer.ts";
import type { Shell } from "./options.ts";

/** How long an answer from the database is valid. */
const FRESH_MS = 1000;
/** If the database takes longer than this, the process is not ready. */
const PATIENCE_MS = 5000;
/** A query that never returns is given up after this time. */
const LOST_MS = 30_000;

/** The last segment of a probe's path. */
export type ProbeName = "health" | "ready";

/** Answers probes. */
export type Probes = (name: ProbeName, method: string) => Promise<Response>;

/** Creates the probes, which remember the database's last answer. */
export function createProbes(shell: Pick<Shell, "service" | "now" | "logger">): Probes {
  const isReady = remember(() => askDatabase(shell), shell.now);
  return async (name, method) => {
    if (method !== "GET" && method !== "HEAD") return refuseUnmatched(["GET"]);
    if (name === "health") return toJsonResponse({ status: "ok" });
    return (await isReady())
      ? toJsonResponse({ status: "ready" })
      : toJsonResponse({ status: "unready" }, 503);
  };
}

/** Asks the database in one trip, which also checks the schema. */
async function askDatabase({
  service,
  logger,
}: Pick<Shell, "service" | "logger">): Promise<boolean> {
  try {
    const [workflow] = service.listWorkflows();
    if (workflow !== undefined) await service.listInstances(workflow.name, { pageSize: 1 });
    return true;
  } catch (error) {
    logger.log("warn", "http.unready", toLogFields(error));
    return false;
  }
}

interface Asked {
  readonly at: number;
  readonly answer: Promise<boolean>;
  isOver: boolean;
}

function remember(ask: () => Promise<boolean>, now: () => number): () => Promise<boolean> {
  let last: Asked | null = null;
  return () => {
    // A clock that was set back must not keep an answer valid.
    const ageMs = last === null ? Infinity : Math.abs(now() - last.at);
    if (last !== null && ageMs < (last.isOver ? FRESH_MS : LOST_MS)) return last.answer;
    const asking = ask();
    const asked: Asked = { at: now(), answer: withPatience(asking), isOver: false };
    void asking.then(() => (asked.isOver = true));
    last = asked;
    return asked.answer;
  };
}

/** false: it takes too long. */
function withPatience(asking: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
    void asking.then((answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}
