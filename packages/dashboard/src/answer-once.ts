/** What many pages ask at once is asked of the database once, and what has not changed since a page asked last is not sent to it again. */

import { createPace, WAIT_FACTOR } from "./pace.ts";

/** An answer's text and its tag. */
interface Kept {
  readonly body: ArrayBuffer;
  readonly etag: string;
  readonly headers: Headers;
}

interface Recent extends Kept {
  readonly at: number;
}

/** For so long an answer is the same for all pages of this process, in milliseconds. Pages ask every two seconds at most. */
const RECENT_MS = 1000;
/** Answers that are kept, and bytes of one. */
const MOST_KEPT = 64;
const MOST_BYTES = 262_144;

type Answer = (request: Request) => Promise<Response>;

/**
 * The same answers, those of GET with a tag, or 304 where the request has that tag already; answers stay out of browsers' own caches.
 * They may be a second old, unless something was done through this dashboard since. Only what is settled is shared: a request never
 * waits for another one's, which not all runtimes allow. While many ask, answers say that pages are to wait longer.
 */
export function answerOnce(answer: Answer): Answer {
  const recent = new Map<string, Recent>();
  const pace = createPace();
  let doneCount = 0;
  return async (request) => {
    if (request.method !== "GET") {
      const done = await answer(request);
      doneCount += 1;
      recent.clear();
      return done;
    }
    const { pathname, search } = new URL(request.url);
    // In this order: a path has no question mark, and so no two requests share a key.
    const key = pathname + search;
    const found = recent.get(key);
    if (found !== undefined && Date.now() - found.at < RECENT_MS)
      return toAnswer(request, found, pace.factor());
    pace.count();
    const doneBefore = doneCount;
    const fresh = await answer(request);
    const kept = await keep(fresh);
    if (kept === null) return fresh;
    const isCurrent = doneBefore === doneCount;
    if (isCurrent && kept.body.byteLength <= MOST_BYTES) remember(recent, key, kept);
    return toAnswer(request, kept, pace.factor());
  };
}

/** Null: it is no JSON, or tells of an error. */
async function keep(answer: Response): Promise<Kept | null> {
  const { status, headers } = answer;
  if (status !== 200 || headers.get("content-type") !== "application/json") return null;
  const body = await answer.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).slice(0, 12);
  return { body, etag: `"${btoa(String.fromCharCode(...digest))}"`, headers: new Headers(headers) };
}

function remember(recent: Map<string, Recent>, key: string, kept: Kept): void {
  recent.delete(key);
  const [oldest] = recent.keys();
  if (recent.size >= MOST_KEPT && oldest !== undefined) recent.delete(oldest);
  recent.set(key, { ...kept, at: Date.now() });
}

function toAnswer(
  request: Request,
  { body, etag, headers: kept }: Kept,
  waitFactor: number,
): Response {
  const headers = new Headers(kept);
  headers.set("etag", etag);
  if (waitFactor > 1) headers.set(WAIT_FACTOR, waitFactor.toFixed(1));
  if (request.headers.get("if-none-match") !== etag) return new Response(body, { headers });
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}
