/** The application on Cloudflare: a Worker, and the Durable Object that runs the workflows and wakes itself. */
import { DurableObject } from "cloudflare:workers";
import { handler, host, type ObjectNamespace } from "@escapement/cloudflare";
import { bearerAuth, createEngine, type TickOutput } from "@escapement/engine";
import { createStore, type DatabaseEnv } from "./object-store.ts";
import { signup } from "./workflow.ts";

interface Env extends DatabaseEnv {
  readonly API_TOKEN?: string;
  readonly WORKFLOWS: ObjectNamespace;
}

export class Workflows extends DurableObject<Env> {
  readonly #host = host(this.ctx, (platform) =>
    createEngine({
      workflows: { SIGNUP: signup },
      store: createStore(this.ctx.storage, this.env),
      platform,
      http: { authorizeRequest: bearerAuth(this.env.API_TOKEN) },
    }),
  );

  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#host.alarm();
  }

  /** Of the cron. */
  tick(): Promise<TickOutput> {
    return this.#host.tick();
  }
}

export default handler<Env>({ objects: (env) => env.WORKFLOWS, name: "escapement-app" });
