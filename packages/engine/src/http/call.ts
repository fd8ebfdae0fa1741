/** What happens to one request once its route is known: authorize, guard, read, ask the service, answer. */
import { toJsonResponse } from "./answer.ts";
import { answerError } from "./answer-error.ts";
import { authorize, type AuthorizeContext } from "./authorize.ts";
import { parseQuery } from "./input.ts";
import { invalidRequest } from "./issues.ts";
import type { Shell } from "./options.ts";
import { parseJsonBody, readBody, type Bytes } from "./request-body.ts";
import type { HttpRoute } from "./route.ts";
import type { RouteName } from "./routes.ts";

/** A request and the route it goes to. */
export interface Call {
  readonly routeName: RouteName;
  readonly route: HttpRoute;
  readonly request: Request;
  /** Decoded segments of the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** Answers a call. The host is asked before anything of the body is read, and the body is read at most once. */
export async function answerCall(shell: Shell, call: Call): Promise<Response> {
  try {
    return await runCall(shell, call);
  } catch (caught) {
    return answerError(shell.logger, caught, call.routeName);
  }
}

async function runCall(shell: Shell, call: Call): Promise<Response> {
  const { route, request, params } = call;
  const url = new URL(request.url);
  assertDecodable(url.pathname);
  const readOnce = createBodyReader(request, shell.maxBytes[route.bodyLimit]);
  const refusal = await authorizeCall(shell, { ...call, policy: route.policy, readBody: readOnce });
  if (refusal !== null) return refusal;
  if (route.policy === "tick") await shell.guardTick(request, readOnce);
  const contentType = request.headers.get("content-type");
  const output = await route.answer(shell.service, {
    params,
    query: parseQuery(url),
    body: route.bodyLimit === "none" ? null : parseJsonBody(contentType, await readOnce()),
    deadline: shell.options.tick?.deadline?.(request) ?? null,
  });
  return toJsonResponse(output);
}

async function authorizeCall(shell: Shell, context: AuthorizeContext): Promise<Response | null> {
  const { authorizeRequest, policies } = shell.options;
  const refusal = await authorize(authorizeRequest, context, "UNAUTHORIZED");
  return refusal ?? authorize(policies?.[context.policy], context, "FORBIDDEN");
}

function createBodyReader(request: Request, maxBytes: number): () => Promise<Bytes> {
  let body: Promise<Bytes> | null = null;
  return () => (body ??= readBody(request, maxBytes));
}

/** A router would pass broken percent-encoding on as it is, and `%zz` is nobody's name. */
function assertDecodable(pathname: string): void {
  try {
    decodeURIComponent(pathname);
  } catch {
    throw invalidRequest([
      { path: "path", expected: "percent-encoded UTF-8", received: "a broken escape" },
    ]);
  }
}
