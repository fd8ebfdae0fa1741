/** Keeps a page whose name has been led to this machine (DNS rebinding) out of an API that asks nobody. */
import { WorkflowError } from "../core/errors.ts";

/** Passes, or throws UNAUTHORIZED. */
export type OpenHostGuard = (request: Request) => void;

/** An address, `localhost`, or a name without a dot: no stranger owns one, so none can lead it here. */
const OWN_NAME = /^(?:\[[\da-f:.]+\]|\d+(?:\.\d+){3}|[^.]+|.+\.localhost)$/u;

/**
 * Makes the guard of routes that nobody guards. To a browser, a page under such a name is of the same origin as the server, so
 * neither the browser nor `Sec-Fetch-Site` stops it; only `Host` tells. A request without one has not come by a network.
 *
 * @param trustedOrigins their hosts pass too
 * @source https://developer.mozilla.org/docs/Web/Security/Attacks/DNS_rebinding, read 2026-11-28
 */
export function createOpenHostGuard(trustedOrigins: readonly string[] = []): OpenHostGuard {
  const trusted = new Set(trustedOrigins.map((origin) => new URL(origin).host));
  return ({ headers }) => {
    const host = headers.get("host")?.toLowerCase() ?? "localhost";
    if (trusted.has(host) || OWN_NAME.test(host.replace(/:\d+$/u, ""))) return;
    const message =
      "http.open opens this API under localhost, an address or a name without a dot. For other hosts, set http.authorizeRequest, or name the origin in http.trustedOrigins.";
    throw new WorkflowError("UNAUTHORIZED", message, { host: host.slice(0, 200) });
  };
}
