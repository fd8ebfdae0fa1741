/** Vercel's data about an invocation, read as the package `@vercel/functions` does, but without that package. */

/** Empty outside an invocation. */
export interface RequestContext {
  /** Keeps the invocation alive for the work, until its deadline. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
  /** When the invocation is killed. */
  readonly deadline?: number | string | Date;
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** @source @vercel/functions 3.9.9: get-context, wait-until, deadline; read 2026-11-21 */
const CONTEXT = Symbol.for("@vercel/request-context");

/** The context of the caller's invocation. */
export function readContext(): RequestContext {
  const { [CONTEXT]: holder } = globalThis as {
    readonly [CONTEXT]?: { readonly get?: () => RequestContext | undefined };
  };
  return holder?.get?.() ?? {};
}
