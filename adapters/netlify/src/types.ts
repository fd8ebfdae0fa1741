/** Types only: the little that is used of Netlify, so that nobody needs its type package. */

/**
 * What a function is given beside the request, as far as it matters here.
 *
 * @source https://docs.netlify.com/build/functions/api/ and types of `@netlify/functions` 6.0.0, read 2026-11
 */
export interface NetlifyContext {
  /** `context` is `production`, `deploy-preview`, `branch-deploy` or a branch's name; empty in the local emulator. */
  readonly deploy?: { readonly context?: string };
  /** `url` is the site's main address, also in deploys that it does not lead to. */
  readonly site?: { readonly url?: string };
  /** Keeps the invocation alive for `work`, within the function's time limit. */
  waitUntil(work: Promise<unknown>): void;
}

/** The default export of a file in the functions directory. */
export type NetlifyFunction = (request: Request, context: NetlifyContext) => Promise<Response>;
