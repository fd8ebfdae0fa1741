/** Types only: the few parts of Netlify that are used, so that you do not need its type package. */

/**
 * The parts of a function's context that are used.
 *
 * @source https://docs.netlify.com/build/functions/api/ and types of `@netlify/functions` 6.0.0, read 2026-11
 */
export interface NetlifyContext {
  /** `context` is `production`, `deploy-preview`, `branch-deploy` or a branch's name; empty in the local emulator. */
  readonly deploy?: { readonly context?: string };
  /** `url` is the site's main address, even in deploys that the address does not lead to. */
  readonly site?: { readonly url?: string };
  /** Keeps the invocation alive for `work`, within the function's time limit. */
  waitUntil(work: Promise<unknown>): void;
}

/** The default export of a file in the functions directory. */
export type NetlifyFunction = (request: Request, context: NetlifyContext) => Promise<Response>;
