/** Answers one request of the HTTP API. Loaded with the first one: it brings the routes and the shapes of what they take. */
import { late } from "../core/late.ts";
import { refuseUnmatched } from "./answer.ts";
import { answerError, refuseBrokenPath } from "./answer-error.ts";
import { answerCall } from "./call.ts";
import { createRouteLookup, type RouteLookup } from "./find-route.ts";
import type { Shell } from "./options.ts";
import type { ProbeName, Probes } from "./probes.ts";

const probing = late(() => import("./probes.ts"));

/** Creates the function that answers. It never rejects. */
export function createAnswer(shell: Shell): (request: Request) => Promise<Response> {
  const find = createRouteLookup(shell.mountRoute);
  let loaded: Promise<Probes> | undefined;
  // Only one, however many requests come before it is loaded, because it limits the database's trips. If loading fails, the next
  // request tries again.
  const probes = (): Promise<Probes> =>
    (loaded ??= Promise.resolve(probing()).then(
      ({ createProbes }) => createProbes(shell),
      (error: unknown) => {
        loaded = undefined;
        throw error;
      },
    ));
  return (request) => answerRequest(shell, request, { find, probes });
}

interface Lookups {
  readonly find: (method: string, pathname: string) => RouteLookup;
  readonly probes: () => Promise<Probes>;
}

async function answerRequest(
  shell: Shell,
  request: Request,
  { find, probes }: Lookups,
): Promise<Response> {
  try {
    // A server builds the URL from whatever host a client names.
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    const found = url === null ? null : find(request.method, url.pathname);
    if (found === null) return refuseBrokenPath(shell.logger);
    if (found.routeName === null) {
      const probe = url === null ? null : toProbe(shell, url.pathname);
      if (probe === null || found.allow.length > 0)
        return refuseUnmatched(found.allow, shell.mountRoute);
      return await (
        await probes()
      )(probe, request.method);
    }
    return await answerCall(shell, { ...found, request });
  } catch (caught) {
    return answerError(shell.logger, caught, null);
  }
}

const PROBES: readonly ProbeName[] = ["health", "ready"];

/** Probes are not in the route table and need no authorization. null: not a probe. */
function toProbe({ mountRoute }: Shell, pathname: string): ProbeName | null {
  const path = pathname.replace(/\/$/u, "");
  return PROBES.find((name) => path === `${mountRoute}/${name}`) ?? null;
}
