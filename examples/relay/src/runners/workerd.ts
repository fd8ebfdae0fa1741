/** Runs in workerd. */
import { createRunnerEngine } from "../runner-engine.ts";
import type { RunnerSettings } from "../runner-settings.ts";
import { openHttpDatabase } from "./open-http-database.ts";

let answer: ((request: Request) => Promise<Response>) | null = null;

function open(settings: RunnerSettings): (request: Request) => Promise<Response> {
  const database = openHttpDatabase(settings.database);
  const { runtime = navigator.userAgent } = settings;
  return createRunnerEngine({ settings, runtime, database }).fetch;
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default {
  fetch: (request: Request, env: { readonly SETTINGS: RunnerSettings }): Promise<Response> =>
    (answer ??= open(env.SETTINGS))(request),
};
