/** The engine's HTTP API below the dashboard's path, with the routes that the dashboard needs. */
import { type EngineService, WorkflowError } from "@escapement/engine";
import { type Authorize, createFetchHandler } from "@escapement/engine/http";
import { toErrorResponse } from "@escapement/engine/http/internal";
import { answerOnce } from "./answer-once.ts";
import type { Settings, Verb } from "./options.ts";

/** The permission that each route needs; null: none. Routes that are not listed are closed. */
const ROUTES: ReadonlyMap<string, Verb | null> = new Map([
  ["listWorkflows", null],
  ["findInstances", null],
  ["countInstances", null],
  ["measureActivity", null],
  ["listLeases", null],
  ["listCallbacks", null],
  ["getInstance", null],
  ["listHistory", null],
  ["explainInstance", null],
  ["describeInstance", null],
  ["listWaiters", null],
  ["previewBulk", null],
  ["listBulks", null],
  ["getBulk", null],
  ["readProgress", "payloads"],
  ["createInstance", "start"],
  ["forkInstance", "start"],
  ["pauseInstance", "steer"],
  ["resumeInstance", "steer"],
  ["cancelInstance", "steer"],
  ["terminateInstance", "steer"],
  ["retryInstance", "steer"],
  ["restartInstance", "steer"],
  ["rewindInstance", "steer"],
  ["sendEvent", "events"],
  ["emit", "events"],
  ["startBulk", "steer"],
  ["cancelBulk", "steer"],
  ["deleteInstance", "delete"],
  ["startBulkDelete", "delete"],
] as const);

/** Creates the handler. Its answers contain payloads if they are allowed and a request asks for them by `reveal=1`. */
export function createApi(
  engine: EngineService,
  { allow, path }: Settings,
): (request: Request) => Promise<Response> {
  const authorizeRequest: Authorize = ({ routeName }) => {
    const verb = ROUTES.get(routeName);
    if (verb === null) return;
    if (verb === undefined || !allow.has(verb)) throw refusal(verb);
  };
  const access = {
    mountRoute: `${path}/api`,
    authorizeRequest,
    policies: {
      callback: () => {
        throw refusal(undefined);
      },
      payloads: ({ request }: { readonly request: Request }) => {
        if (!asksForPayloads(request)) throw refusal("payloads");
      },
    },
  };
  const answer = createFetchHandler(engine, access);
  const answerHidden = answerOnce(answer);
  return (request) => {
    if (!asksForPayloads(request)) return answerHidden(request);
    return allow.has("payloads")
      ? answer(request)
      : Promise.resolve(toErrorResponse(refusal("payloads")));
  };
}

const asksForPayloads = ({ method, url }: Request): boolean =>
  method === "GET" && new URL(url).searchParams.has("reveal");

const refusal = (verb: Verb | undefined): WorkflowError =>
  new WorkflowError(
    "FORBIDDEN",
    verb === undefined
      ? "The dashboard has no use for this route."
      : `The dashboard may not: its option allow has no "${verb}".`,
  );
