/** Handles one request once its route is known: authorize, guard, read, call the service, answer. */
import { WorkflowError } from "../core/errors.ts";
import { late } from "../core/late.ts";
import { toJsonResponse } from "./answer.ts";
import { answerError, noteRefusal } from "./answer-error.ts";
import type { AuthorizeContext } from "./access.ts";
import { authorizeAccess } from "./authorize.ts";
import { assertBatchCount, parseQuery } from "./input.ts";
import type { FoundRoute } from "./find-route.ts";
import type { Shell } from "./options.ts";
import { parseJsonBody, readBody, type Bytes } from "./request-body.ts";
import { HTTP_ROUTES } from "./routes.ts";
import type { RouteName } from "./route-types.ts";

const LARGE_BODY_BYTES = 64 * 1024;
/** How much longer than requested a wait may take, as long as the database answers. */
const GRACE_MS = 60_000;

/** A request and its route. */
export interface Call extends FoundRoute {
  readonly request: Request;
}

/** A call that is authorized. */
export interface AdmittedCall extends Call {
  /** The body, read at most once. @throws PAYLOAD_TOO_LARGE */
  readonly readBody: () => Promise<Bytes>;
}

/** Answers a call. The host is asked before the body is read, and the body is read at most once. */
export async function answerCall(shell: Shell, call: Call): Promise<Response> {
  const admitted = await admitCall(shell, call);
  return admitted instanceof Response ? admitted : answerAdmitted(shell, admitted);
}

/** Asks the host whether the call may pass. Only the host may have read its body by then. @returns the refusal, or the call */
export async function admitCall(shell: Shell, call: Call): Promise<AdmittedCall | Response> {
  const { routeName, route, request, params } = call;
  const readOnce = createBodyReader(request, shell.maxBytes[route.bodyLimit]);
  try {
    shell.guardCrossSite(request, route.policy);
    const context = { routeName, route, request, params, readBody: readOnce };
    for (const policy of [route.policy, route.also]) {
      if (policy === undefined) continue;
      const refusal = await authorizeAccess(shell.options, { ...context, policy });
      if (refusal !== null) return refusal;
    }
    if (route.policy === "tick") await shell.guardTick(request, readOnce);
    if (route.policy === "callback") await shell.service.verifyCallback(params["token"] ?? "");
    return { ...call, readBody: readOnce };
  } catch (caught) {
    return answerError(shell.logger, caught, routeName);
  }
}

/** Answers a call that is authorized. */
export async function answerAdmitted(shell: Shell, call: AdmittedCall): Promise<Response> {
  try {
    return await runCall(shell, call);
  } catch (caught) {
    return answerError(shell.logger, await withoutNames(shell, call, caught), call.routeName);
  }
}

const streaming = late(() => import("./stream-answer.ts"));
const hiding = late(() => import("./without-payloads.ts"));

/** Only requests that may want a stream load the code for it. */
const ASKS_FOR_STREAM = /event-stream|x-ndjson/iu;

async function runCall(shell: Shell, call: AdmittedCall): Promise<Response> {
  if (await maySeePayloads(shell, call)) return askService(shell, call);
  const service = (await hiding()).withoutPayloads(shell.service);
  const answer = await askService({ ...shell, service }, call);
  // A null in the answer may be a hidden value.
  answer.headers.set("escapement-payloads", "hidden");
  return answer;
}

async function askService(shell: Shell, call: AdmittedCall): Promise<Response> {
  const { route, request, params } = call;
  if (route.streams === true && ASKS_FOR_STREAM.test(request.headers.get("accept") ?? "")) {
    const streamed = await (await streaming()).answerStream(shell, call);
    if (streamed !== null) return streamed;
  }
  const query = parseQuery(new URL(request.url));
  const body = await parseBody(shell, call);
  const release = holdWait(shell, query);
  const input = {
    params,
    query,
    body,
    idempotencyKey: request.headers.get("idempotency-key"),
    deadline: shell.options.tick?.deadline?.(request) ?? null,
    signal: () => request.signal,
    mayRead: (instanceId: string | null) => mayRead(shell, call, instanceId),
    maySeePayloads: (instanceId: string) => maySeePayloads(shell, toReading(call, instanceId)),
  };
  try {
    return toJsonResponse(await route.answer(shell.service, input));
  } finally {
    release();
  }
}

/** Counts a request that waits against the limit of waits. */
function holdWait(
  { waits }: Shell,
  { waitMs = "0" }: Readonly<Record<string, string>>,
): () => void {
  const forMs = Number(waitMs);
  return forMs > 0 ? waits.hold(forMs + GRACE_MS) : () => undefined;
}

/** Asks the host only if it has a `payloads` policy; without one, readers see payloads. Ticks and callbacks return none. */
async function maySeePayloads(
  shell: Shell,
  call: Omit<AuthorizeContext, "policy">,
): Promise<boolean> {
  const { policy } = call.route;
  const { policies } = shell.options;
  if (policies?.payloads === undefined || policy === "tick" || policy === "callback") return true;
  try {
    const asked = { policies, open: true } as const;
    return (await authorizeAccess(asked, { ...call, policy: "payloads" })) === null;
  } catch (caught) {
    noteRefusal(shell.logger, caught, { route: call.routeName, policy: "payloads" });
    return false;
  }
}

async function parseBody(
  shell: Shell,
  { route, request, readBody: read }: AdmittedCall,
): Promise<unknown> {
  if (route.bodyLimit === "none") return null;
  const bytes = await read();
  const body = parseJsonBody(request.headers, bytes, shell.maxJsonValues);
  // Checking and storing it takes as long again, so give other requests a turn.
  if (bytes.byteLength > LARGE_BODY_BYTES) await new Promise((resolve) => setTimeout(resolve, 0));
  if (route.bodyLimit === "batch") assertBatchCount(body, shell.maxBatchSize);
  return body;
}

/**
 * Asks the host whether the caller may also read an instance of the same workflow or (null) the list of workflows, so that no other
 * route reveals what those routes would not.
 */
async function mayRead(
  shell: Shell,
  call: AdmittedCall,
  instanceId: string | null,
): Promise<boolean> {
  try {
    const context: AuthorizeContext = { ...toReading(call, instanceId), policy: "read" };
    return (await authorizeAccess(shell.options, context)) === null;
  } catch {
    return false;
  }
}

/** The call as if it were for an instance, or (null) for the list of workflows. */
function toReading(
  { request, readBody: read, params }: AdmittedCall,
  instanceId: string | null,
): Omit<AuthorizeContext, "policy"> {
  const routeName: RouteName = instanceId === null ? "listWorkflows" : "getInstance";
  const { workflowName = "" } = params;
  return {
    request,
    readBody: read,
    routeName,
    route: HTTP_ROUTES[routeName],
    params: instanceId === null ? {} : { workflowName, instanceId },
  };
}

/** The names of all workflows are only for callers who may list them. */
async function withoutNames(shell: Shell, call: AdmittedCall, caught: unknown): Promise<unknown> {
  const isListing =
    WorkflowError.is(caught) &&
    caught.code === "WORKFLOW_NOT_FOUND" &&
    "registered" in caught.details;
  if (!isListing || (await mayRead(shell, call, null))) return caught;
  const { registered: _registered, ...details } = caught.details;
  return new WorkflowError(caught.code, caught.message, details);
}

function createBodyReader(request: Request, maxBytes: number): () => Promise<Bytes> {
  let body: Promise<Bytes> | null = null;
  return () => (body ??= readBody(request, maxBytes));
}
