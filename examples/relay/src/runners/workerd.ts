/** Runs in workerd: a Durable Object that drives, on a database that is not its own. */
import { DurableObject } from "cloudflare:workers";
import { handler, host, type ObjectHost, type ObjectNamespace } from "@escapement/cloudflare";
import { createRunnerEngine } from "../runner-engine.ts";
import type { RunnerSettings } from "../runner-settings.ts";
import { openHttpDatabase } from "./open-http-database.ts";

interface Env {
  readonly SETTINGS: RunnerSettings;
  readonly RELAY: ObjectNamespace;
}

/** The class of the binding RELAY. */
export class Relay extends DurableObject<Env> {
  readonly #host = host(this.ctx, (platform) => {
    const { SETTINGS: settings } = this.env;
    const { runtime = navigator.userAgent } = settings;
    const database = openHttpDatabase(settings.database);
    return createRunnerEngine({ settings, runtime, database, platform });
  });

  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#host.alarm();
  }

  tick(): ReturnType<ObjectHost["tick"]> {
    return this.#host.tick();
  }
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default handler<Env>({ objects: ({ RELAY }) => RELAY });
