/** If many pages ask the same, the database is asked once, and a page that has the current answer does not get it again. */

import { createPace, WAIT_FACTOR } from "./pace.ts";

/** The text of an answer, and its tag. */
interface Kept {
  readonly body: ArrayBuffer;
  readonly etag: string;
  readonly headers: Headers;
}

interface Recent extends Kept {
  readonly at: number;
}

/** How long all pages of this process get the same answer, in milliseconds. Pages ask every two seconds at most. */
const RECENT_MS = 1000;
/** How many answers are kept, and the most bytes of one. */
const MOST_KEPT = 64;
const MOST_BYTES = 262_144;

type Answer = (request: Request) => Promise<Response>;

/**
 * Answers GET requests with a tag, or with 304 if the request has that tag already; browsers' own caches keep nothing. An answer may be
 * a second old, unless something was done through this dashboard since. Only settled answers are shared: a request never waits for
 * another one, which not all runtimes allow. While many pages ask, answers tell them to wait longer.
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
    // Unambiguous in this order, because a path has no question mark.
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

/** null: it is not JSON, or is an error. */
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
