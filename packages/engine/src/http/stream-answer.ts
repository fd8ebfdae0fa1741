/** @module An instance's stream as an answer that continues while the run does. Loaded with the first stream. */
import { toLogFields } from "../core/errors.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { ReadProgressOptions, ReadProgressOutput } from "../ports/progress-service.ts";
import type { FoundRoute } from "./find-route.ts";
import { parseQuery, parseShape } from "./input.ts";
import { invalidRequest } from "./issues.ts";
import type { Shell } from "./options.ts";
import { progressQuery } from "./schemas.ts";
import { EVENTS, findForm, type StreamForm } from "./stream-forms.ts";

/** How long one answer continues, in milliseconds. Readers ask again after it. */
const LONGEST_MS = 20_000;

/** The time between two comments in an answer without entries. */
const BEAT_MS = 10_000;

/** An invocation that will be killed ends its answer this long before. */
const MARGIN_MS = 1000;

/** An admitted call of the stream's route. */
interface StreamCall extends Pick<FoundRoute, "route" | "params"> {
  readonly request: Request;
}

/**
 * Lines of JSON or server-sent events, a page at a time as they are read, until the instance has ended, `waitMs` is over or the reader
 * leaves. After that, nothing of it keeps running.
 *
 * @returns null: the request prefers JSON
 * @throws like `EngineService.readProgress`
 */
export async function answerStream(shell: Shell, call: StreamCall): Promise<Response | null> {
  const { request } = call;
  const { service, platform, now, logger } = shell;
  const form = findForm(request.headers.get("accept") ?? "");
  if (form === null) return null;
  const { workflowName = "", instanceId = "" } = parseShape(call.route.params, call.params, "path");
  const query = parseShape(progressQuery, parseQuery(new URL(request.url)), "query");
  const { once, waitMs = LONGEST_MS, after = 0, ...rest } = query;
  const read = (options: ReadProgressOptions): Promise<ReadProgressOutput> =>
    service.readProgress(workflowName, instanceId, { ...rest, ...options });
  const endsAt = Math.min(now() + waitMs, deadlineOf(shell, request) - MARGIN_MS);
  const seen = form === EVENTS ? parseLastEventId(request) : null;
  const first = await read({ after: seen ?? after });
  // Only after this answer does a browser not come again.
  if (seen !== null && first.ended && first.entries.length === 0)
    return new Response(null, { status: 204, headers: HEADERS });
  const headers = { ...HEADERS, "content-type": form.contentType };
  if (request.method === "HEAD") return new Response(null, { headers });
  const body = toBody({
    release: shell.waits.hold(Math.max(0, endsAt - now()) + BEAT_MS),
    form,
    read,
    first,
    isShort: once ?? platform?.holdsAnswers ?? false,
    leftMs: () => endsAt - now(),
    onTrouble: (error) =>
      logger.log("warn", "stream.broken", { workflowName, instanceId, ...toLogFields(error) }),
  });
  return new Response(body, { headers });
}

/** When the invocation is killed. */
function deadlineOf({ options, platform }: Shell, request: Request): EpochMs {
  const ofTicks = options.tick?.deadline?.(request) ?? Infinity;
  return Math.min(ofTicks, platform?.deadline() ?? Infinity);
}

const HEADERS = {
  // Nothing in between may cache, compress or delay it.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
} as const;

/** The id of the last event that a returning browser has seen. @throws {WorkflowError} INVALID_REQUEST */
function parseLastEventId({ headers }: Request): number | null {
  const text = headers.get("last-event-id") ?? "";
  if (text === "") return null;
  if (/^\d{1,16}$/u.test(text)) return Number(text);
  const received = text.slice(0, 80);
  throw invalidRequest([{ path: "header.last-event-id", expected: "a sequence", received }]);
}

interface Reading {
  /** Called when it is no longer read. */
  readonly release: () => void;
  readonly form: StreamForm;
  readonly read: (options: ReadProgressOptions) => Promise<ReadProgressOutput>;
  readonly first: ReadProgressOutput;
  /** It ends with the first entries. */
  readonly isShort: boolean;
  readonly leftMs: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** Reads nothing before the client asks for it. */
function toBody(reading: Reading): ReadableStream<Uint8Array> {
  const leaving = new AbortController();
  const texts = toTexts(reading, leaving.signal);
  const encoder = new TextEncoder();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const next = await texts.next();
      if (leaving.signal.aborted) return;
      if (next.done === true) {
        reading.release();
        controller.close();
      } else controller.enqueue(encoder.encode(next.value));
    },
    cancel() {
      reading.release();
      leaving.abort();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

async function* toTexts(
  { form, read, first, isShort, leftMs, onTrouble }: Reading,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  if (form.begin !== "") yield form.begin;
  let page = first;
  for (let isAgain = false; ; isAgain = true) {
    const { entries, cursor, ended } = page;
    const hasNews = entries.length > 0;
    if (hasNews) yield form.toText(page);
    const isOver = leftMs() <= 0 || (isShort && hasNews) || signal.aborted;
    if (ended || isOver) return yield form.toEnd({ cursor, ended });
    if (!hasNews && isAgain && form.beat !== "") yield form.beat;
    try {
      const waitMs = Math.max(0, Math.min(BEAT_MS, Math.ceil(leftMs())));
      page = await read({ after: cursor, waitMs, signal });
    } catch (error) {
      // If the client comes again, it gets the error like that of any other call.
      onTrouble(error);
      return yield form.toEnd({ cursor, ended: false });
    }
  }
}
