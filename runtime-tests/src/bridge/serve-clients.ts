/** The other runtime's end: opens database clients and passes batches on to them. Web APIs only. */
import type { Database } from "@escapement/db";
import { type BatchResult, DatabaseError } from "@escapement/db/client";
import type { BatchAnswer, BatchRequest } from "./protocol.ts";

/** Answers requests for the clients that `open` makes, one for each name in the path. */
export function serveClients(open: () => Database): (request: Request) => Promise<Response> {
  const clients = new Map<string, Database>();
  return async (request) => {
    const [name = "", action] = new URL(request.url).pathname.split("/").slice(-2);
    const client = clients.get(name) ?? open();
    clients.set(name, client);
    if (action === "close") {
      await client.close();
      return Response.json({});
    }
    const { statements } = (await request.json()) as BatchRequest;
    return Response.json(await client.batch(statements).then(toResult, toError));
  };
}

function toResult(result: BatchResult): BatchAnswer {
  return { result };
}

// Whatever is not a `DatabaseError` breaks the contract: it becomes a failing response.
function toError(error: unknown): BatchAnswer {
  if (!DatabaseError.is(error)) throw error;
  const { code, message, cause } = error;
  return { error: { code, message, cause: describeCause(cause) } };
}

function describeCause(cause: unknown): { message: string; code: unknown } | null {
  if (cause === undefined) return null;
  if (!(cause instanceof Error)) return { message: "not an Error", code: null };
  return { message: cause.message, code: "code" in cause ? cause.code : null };
}
