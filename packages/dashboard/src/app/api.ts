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

type Query = Readonly<Record<string, string | number | undefined>>;

export const instancePath = (workflowName: string, id: string): string =>
  `/workflows/${encodeURIComponent(workflowName)}/instances/${encodeURIComponent(id)}`;

export function get<Output>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Output> {
  return call(path, query, signal === undefined ? {} : { signal });
}

export function post<Output>(path: string, query: Query = {}, body?: unknown): Promise<Output> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  return call(path, query, { method: "POST", ...sent });
}

async function call<Output>(path: string, query: Query, init: RequestInit): Promise<Output> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") search.set(name, String(value));
  const suffix = search.size === 0 ? "" : `?${search}`;
  const response = await fetch(`${PATH}/api${path}${suffix}`, { redirect: "manual", ...init });
  // Who was signed out is sent elsewhere, which only a page can follow.
  if (response.type === "opaqueredirect" || response.status === 401)
    throw new ApiError(401, "UNAUTHORIZED", "You are signed out. Reload the page to sign in.");
  const answer = (await response.json().catch(() => null)) as
    | (Output & { readonly code?: string; readonly message?: string })
    | null;
  if (response.ok && answer !== null) return answer;
  const { code = "NO_ANSWER", message = `The server answered ${response.status}.` } = answer ?? {};
  throw new ApiError(response.status, code, message);
}
