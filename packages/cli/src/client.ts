/** The engine's verbs over its HTTP API, as requests and answers. */
import type { EngineService } from "@escapement/engine";
import { NoAnswerError, RefusedError } from "./errors.ts";
import { suggestWorkflow } from "./suggest.ts";

/** A request, without its origin. */
export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  /** Segments below the mount path, not yet escaped. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** An idempotency key, so that the call can be repeated. */
  readonly key?: string | undefined;
  /** A dry run: it changes nothing, although it is a POST. */
  readonly isDryRun?: boolean;
}

/** A complete answer. */
export interface Answer {
  readonly status: number;
  /** Where a redirect points. */
  readonly location: string | null;
  readonly text: string;
}

/** Sends a request to a path below the mount path, and returns the answer. */
export type Send = (path: string, init: RequestInit) => Promise<Answer>;

export type Found = Awaited<ReturnType<EngineService["findInstances"]>>;
export type Activity = Awaited<ReturnType<EngineService["measureActivity"]>>;
export type Leases = Awaited<ReturnType<EngineService["listLeases"]>>;
export type Callbacks = Awaited<ReturnType<EngineService["listCallbacks"]>>;
export type History = Awaited<ReturnType<EngineService["listHistory"]>>;
export type Emitted = Awaited<ReturnType<EngineService["emit"]>>;
export type Explained = Awaited<ReturnType<EngineService["explainInstance"]>>;
export type Deleted = Awaited<ReturnType<EngineService["deleteInstance"]>>;
export type BulkPreview = Awaited<ReturnType<EngineService["previewBulk"]>>;
export type Bulk = Awaited<ReturnType<EngineService["getBulk"]>>;
export type BulkList = Awaited<ReturnType<EngineService["listBulks"]>>;
export type Step = History["steps"][number];
export type Described = Awaited<ReturnType<EngineService["describeInstance"]>>;
export type Instance = Awaited<ReturnType<EngineService["getInstance"]>>;
export type Status = Instance["details"];

/** Sends a request and returns the body of a success. @throws {RefusedError} */
export async function ask<TAnswer>(send: Send, call: Call): Promise<TAnswer> {
  const answer = await send(toTarget(call), toInit(call)).catch((error: unknown) => {
    throw error instanceof NoAnswerError ? toLost(error, call) : error;
  });
  const body = parseBody(answer);
  if (answer.status === 200) return body as TAnswer;
  const { code, message } = errorOf(body);
  if (code === null) throw notTheApi(answer);
  throw new RefusedError(code, message);
}

/** Says what to do about a change of which nobody knows whether it was made. */
function toLost(error: NoAnswerError, { method, isDryRun = false, key }: Call): RefusedError {
  if (!error.mayHaveArrived || method === "GET" || isDryRun) return error;
  const next =
    key === undefined
      ? "look before you send it again"
      : "look, or send it again with the same --key";
  return new RefusedError(error.code, `${error.message} It may have been carried out: ${next}.`);
}

/** Reads a response to its end. */
export async function toAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, location: headers.get("location"), text: await response.text() };
}

function toTarget({ path, query = {} }: Call): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given as [string, string][]).toString();
  const pathname = path.map((segment) => `/${encodeURIComponent(segment)}`).join("");
  return search === "" ? pathname : `${pathname}?${search}`;
}

function toInit({ method, body, key }: Call): RequestInit {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (key !== undefined) headers["idempotency-key"] = key;
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

/** Every answer of the API is an object. */
function parseBody(answer: Answer): unknown {
  try {
    const body: unknown = JSON.parse(answer.text);
    if (typeof body === "object" && body !== null) return body;
  } catch {
    // A page from something other than the API.
  }
  throw notTheApi(answer);
}

function errorOf(body: unknown): { readonly code: string | null; readonly message: string } {
  const { error } = body as { readonly error?: unknown };
  const { code, message = "", details } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== "string") return { code: null, message: "" };
  const known = (details ?? {}) as Readonly<Record<string, unknown>>;
  return { code, message: `${String(message)}${suggestWorkflow(known)}` };
}

/** The error for an answer that is not from the API. */
export const notTheApi = ({
  status,
  location,
}: Pick<Answer, "status" | "location">): RefusedError => {
  const hint =
    location === null
      ? "does --url name the path that the API is mounted at, as https://host/api/workflows?"
      : `it redirects to ${location}`;
  return new RefusedError(
    "NOT_THE_API",
    `the answer (${status}) does not come from Escapement: ${hint}`,
  );
};
