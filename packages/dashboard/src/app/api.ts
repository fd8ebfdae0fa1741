/** Calls of the API below the dashboard's path. */
import { PATH } from "./settings.ts";

/** The API refused, or did not answer. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The last answer for a path, and its tag, so that the same answer is not sent twice. */
const answers = new Map<string, { readonly etag: string; readonly answer: unknown }>();
/** How many answers are kept. */
const MOST_ANSWERS = 60;

/** The last wait factor from the server: how many times as long pages are to wait, because many ask. */
let waitFactor = 1;

/** A wait as long as the server asks for, with some randomness, so that pages do not ask in waves. */
export const toWait = (ms: number): number =>
  waitFactor > 1 ? ms * waitFactor * (0.75 + Math.random() / 2) : ms;

type Query = Readonly<Record<string, string | number | true | undefined>>;

export const instancePath = (workflowName: string, id: string): string =>
  `/workflows/${encodeURIComponent(workflowName)}/instances/${encodeURIComponent(id)}`;

export function get<Output>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Output> {
  return call(path, query, signal === undefined ? {} : { signal });
}

/** Like `get`, but of this moment: the server's other answers may be a second old. */
export const getFresh = <Output>(path: string, signal?: AbortSignal): Promise<Output> =>
  get<Output>(path, { at: `${Date.now()} ${Math.random()}` }, signal);

/** @param key an idempotency key: if the same request is sent again, it has no further effect */
export function post<Output>(
  path: string,
  query: Query = {},
  body?: unknown,
  key?: string,
): Promise<Output> {
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { "idempotency-key": key }),
  };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  return call(path, query, { method: "POST", ...sent });
}

export function remove(path: string, query: Query = {}): Promise<unknown> {
  return call(path, query, { method: "DELETE" });
}

/** The schemas for forms. They are below the dashboard's own path, not below its API. */
export async function getForms(workflowName: string): Promise<Forms> {
  const response = await fetch(`${PATH}/forms/${encodeURIComponent(workflowName)}`);
  return response.ok ? ((await response.json()) as Forms) : { params: null, events: [] };
}

/** JSON Schemas; null: unknown. */
export interface Forms {
  readonly params: unknown;
  readonly events: readonly { readonly type: string; readonly payload: unknown }[];
}

async function call<Output>(path: string, query: Query, init: RequestInit): Promise<Output> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") search.set(name, String(value));
  const suffix = search.size === 0 ? "" : `?${search}`;
  const address = `${PATH}/api${path}${suffix}`;
  const kept = init.method === undefined ? answers.get(address) : undefined;
  const headers = { ...(init.headers as object), ...(kept && { "if-none-match": kept.etag }) };
  const response = await fetch(address, { redirect: "manual", ...init, headers });
  waitFactor = Number(response.headers.get("x-wait-factor") ?? "1") || 1;
  // The same value as before, so that callers notice at once that nothing changed.
  if (response.status === 304 && kept !== undefined) return kept.answer as Output;
  return readAnswer<Output>(address, response);
}

async function readAnswer<Output>(address: string, response: Response): Promise<Output> {
  // A user who was signed out is redirected, which only a page can follow.
  if (response.type === "opaqueredirect" || response.status === 401)
    throw new ApiError(401, "UNAUTHORIZED", "You are signed out. Reload the page to sign in.");
  const answer = (await response.json().catch(() => null)) as
    | (Output & { readonly code?: string; readonly message?: string })
    | null;
  const etag = response.headers.get("etag");
  if (etag !== null && response.ok) keep(address, { etag, answer });
  if (response.ok && answer !== null) return answer;
  const {
    code = "NO_ANSWER",
    message = `The server answered ${response.status} without a reason. Its log may have one.`,
  } = answer ?? {};
  throw new ApiError(response.status, code, message);
}

function keep(address: string, entry: { readonly etag: string; readonly answer: unknown }): void {
  answers.delete(address);
  answers.set(address, entry);
  const [oldest] = answers.keys();
  if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
}
