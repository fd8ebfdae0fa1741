/**
 * The entrance to the fragment's routes. Fragno reads and parses a whole body before it calls a route. So the host is asked here,
 * with the original request, and the body is read within its limit.
 */
import {
  admitCall,
  type AdmittedCall,
  answerError,
  assertModest,
  type Bytes,
  createRouteLookup,
  refuseBrokenPath,
  refuseUnmatched,
  type Shell,
} from "@escapement/engine/internal";

type Handler = (request: Request) => Promise<Response>;

/** The header that identifies an admitted call to the route. Nobody outside can guess its value. */
export const TICKET_HEADER = "x-escapement-ticket";

export interface Door {
  /** Wraps the handler. */
  readonly guard: (handler: Handler) => Handler;
  /** The call that was admitted with these headers; null: a call in this process, without a request. */
  readonly admittedBy: (headers: Headers) => AdmittedCall | null;
}

export function createDoor(shell: Shell): Door {
  const find = createRouteLookup(shell.mountRoute);
  const admitted = new Map<string, AdmittedCall>();
  const take = async (request: Request, handler: Handler): Promise<Response> => {
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    const found = url === null ? null : find(request.method, url.pathname);
    if (found === null) return refuseBrokenPath(shell.logger);
    if (found.routeName === null) return refuseUnmatched(found.allow);
    const call = await admitCall(shell, { ...found, request });
    if (call instanceof Response) return call;
    const body = found.route.bodyLimit === "none" ? null : await readModestBody(shell, call);
    const ticket = crypto.randomUUID();
    admitted.set(ticket, call);
    try {
      return await handler(withTicket(call, ticket, body));
    } finally {
      admitted.delete(ticket);
    }
  };
  return {
    guard: (handler) => async (request) => {
      try {
        const answer = await take(request, handler);
        return request.method === "HEAD" ? new Response(null, answer) : answer;
      } catch (caught) {
        return answerError(shell.logger, caught, null);
      }
    },
    admittedBy: (headers) => admitted.get(headers.get(TICKET_HEADER) ?? "") ?? null,
  };
}

/** Fragno parses the body, so what would take long is refused before. */
async function readModestBody({ maxJsonValues }: Shell, call: AdmittedCall): Promise<Bytes> {
  const body = await call.readBody();
  assertModest(body, maxJsonValues);
  return body;
}

function withTicket({ request, route }: AdmittedCall, ticket: string, body: Bytes | null): Request {
  const headers = new Headers(request.headers);
  headers.set(TICKET_HEADER, ticket);
  headers.delete("content-length");
  const { url, signal } = request;
  const isEmpty = body === null || body.byteLength === 0;
  return new Request(url, { method: route.method, headers, signal, ...(isEmpty ? {} : { body }) });
}
