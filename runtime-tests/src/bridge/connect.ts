/** The test's end: a `Database` whose batches run in another runtime. */
import type { Database } from "@escapement/db";
import { type Dialect, type BatchResult, DatabaseError } from "@escapement/db/client";
import type { BatchAnswer, BatchRequest } from "./protocol.ts";

const ANSWER_MS = 60_000;
let clients = 0;

/** Opens another client in the runtime that serves `url`. */
export function connect(url: string, dialect: Dialect): Database {
  clients += 1;
  const client = `${url.replace(/\/$/, "")}/client-${clients}`;
  return {
    dialect,
    async batch(statements) {
      return toResult((await post(`${client}/batch`, { statements })) as BatchAnswer);
    },
    async close() {
      await post(`${client}/close`, { statements: [] });
    },
  };
}

async function post(url: string, body: BatchRequest): Promise<unknown> {
  // A runtime that hangs is said so, and not by a test that takes too long.
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body), signal });
  if (!response.ok)
    throw new Error(`the runtime answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function toResult(answer: BatchAnswer): BatchResult {
  if ("result" in answer) return answer.result;
  const { code, message, cause } = answer.error;
  const driverError = cause && Object.assign(new Error(cause.message), { code: cause.code });
  throw new DatabaseError(code, message, driverError ?? undefined);
}
