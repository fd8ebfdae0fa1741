/** Prevents pages of other sites from acting through a visitor's browser with the visitor's credentials. */
import { WorkflowError } from "../core/errors.ts";
import { invalidOption } from "./invalid-option.ts";
import type { RoutePolicy } from "./route.ts";

/** Passes, or throws CROSS_SITE_REQUEST. */
export type CrossSiteGuard = (request: Request, policy: RoutePolicy) => void;

/**
 * Creates the guard. Browsers state where a request comes from, in headers that pages cannot set. Other clients do not, and pass.
 *
 * @param trustedOrigins for example `https://admin.example.com`
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — an origin that no browser would send
 * @source https://pkg.go.dev/net/http#CrossOriginProtection and https://words.filippo.io/csrf/, read 2026-11-22
 */
export function createCrossSiteGuard(trustedOrigins: readonly string[] = []): CrossSiteGuard {
  const trusted = new Set(trustedOrigins.map(parseOrigin));
  return (request, policy) => {
    // A browser does not send a callback's request by itself: its token is in the path.
    if (policy === "read" || policy === "view" || policy === "callback") return;
    const origin = request.headers.get("origin");
    if (origin !== null && trusted.has(origin)) return;
    const site = request.headers.get("sec-fetch-site");
    // Browsers since 2023 send it over https. Older ones, and all on plain http, send only the origin of a POST.
    const isSame =
      site === null ? isOwn(request, origin) : site === "same-origin" || site === "none";
    if (isSame) return;
    const message = "A page of another origin may not call this route from a browser.";
    throw new WorkflowError("CROSS_SITE_REQUEST", message, {
      site,
      origin: origin?.slice(0, 200) ?? null,
    });
  };
}

function isOwn(request: Request, origin: string | null): boolean {
  if (origin === null) return true;
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function parseOrigin(origin: unknown, index: number): string {
  const isOrigin =
    typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;
  if (isOrigin) return origin;
  throw invalidOption(`trustedOrigins.${index}`, "an origin such as https://admin.acme.dev");
}
