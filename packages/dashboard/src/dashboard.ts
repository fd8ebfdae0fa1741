/** Answers requests below the dashboard's path; all others go to the engine. */
import { type EngineService, WorkflowError } from "@escapement/engine";
import { isResponse, refuseUnmatched, toErrorResponse } from "@escapement/engine/http/internal";
import { createApi } from "./api.ts";
import { findBulk } from "./find-bulk.ts";
import { answerForms } from "./forms.ts";
import { type DashboardOptions, parseOptions, type Settings } from "./options.ts";
import { answerAsset, answerPage } from "./pages.ts";

type Answer = (request: Request) => Promise<Response>;

/**
 * Creates the dashboard of an engine: a function that answers requests, for a route of your own. Every request gets a Response, never a
 * rejection; a request outside its path gets 404.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — `authorize` is missing, or an option cannot work; UNKNOWN_OPTION
 */
export function dashboard(
  engine: EngineService,
  options: DashboardOptions,
): (request: Request) => Promise<Response> {
  const settings = parseOptions(options);
  const api = createApi(engine, settings);
  const hasBulk = findBulk(engine);
  return async (request) => {
    try {
      const rest = pathBelow(settings.path, request);
      if (rest === null) return refuseUnmatched([]);
      return await answer(request, { settings, api, hasBulk, rest });
    } catch {
      return toErrorResponse(new WorkflowError("INVARIANT_BROKEN", "Unexpected error."));
    }
  };
}

/**
 * The same engine with a `fetch` that also answers the dashboard's requests. Pass it to your platform's handler instead of the engine.
 *
 * @throws like `dashboard`
 */
export function withDashboard<
  TEngine extends EngineService & { readonly fetch: (request: Request) => Promise<Response> },
>(engine: TEngine, options: DashboardOptions): TEngine {
  const { path } = parseOptions(options);
  const ownAnswer = dashboard(engine, options);
  const fetch: Answer = (request) =>
    pathBelow(path, request) === null ? engine.fetch(request) : ownAnswer(request);
  return new Proxy(engine, {
    get: (target, name) =>
      name === "fetch" ? fetch : (Reflect.get(target, name, target) as unknown),
  });
}

interface Found {
  readonly settings: Settings;
  readonly api: Answer;
  readonly hasBulk: () => Promise<boolean>;
  /** The path below the dashboard's: "", or begins with a slash. */
  readonly rest: string;
}

/** null: it is not below the path. */
function pathBelow(path: string, { url }: Request): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname } = new URL(url);
  const isBelow = pathname === path || pathname.startsWith(`${path}/`);
  return isBelow ? pathname.slice(path.length) : null;
}

async function answer(
  request: Request,
  { settings, api, hasBulk, rest }: Found,
): Promise<Response> {
  const refusal = await refuse(request, settings);
  if (refusal !== null) return refusal;
  if (rest === "/api" || rest.startsWith("/api/")) return api(request);
  if (request.method !== "GET" && request.method !== "HEAD")
    return refuseUnmatched(["GET", "HEAD"]);
  const found = await answerFile(request, { settings, hasBulk, rest });
  return request.method === "HEAD" ? new Response(null, found) : found;
}

async function answerFile(
  request: Request,
  { settings, hasBulk, rest }: Omit<Found, "api">,
): Promise<Response> {
  if (rest.startsWith("/assets/")) return answerAsset(request, rest.slice("/assets/".length));
  if (rest.startsWith("/forms/")) return answerForms(settings, rest.slice("/forms/".length));
  return answerPage(settings, { hasBulk: await hasBulk() });
}

/** Anything but a clear yes is a no. */
async function refuse(request: Request, { authorize }: Settings): Promise<Response | null> {
  let verdict: unknown;
  try {
    verdict = await authorize(request);
  } catch (thrown) {
    verdict = thrown;
  }
  if (verdict === true) return null;
  if (isResponse(verdict)) return verdict;
  return toErrorResponse(
    new WorkflowError("UNAUTHORIZED", "You are not allowed to see this dashboard."),
  );
}
