/** The application on Cloudflare: a Worker, and the Durable Object that keeps the refunds and wakes itself. */
import { DurableObject } from "cloudflare:workers";
import { handler, host, type ObjectNamespace } from "@escapement/cloudflare";
import { bearerAuth, createEngine, type TickOutput } from "@escapement/engine";
import { durableObject } from "@escapement/engine/durable-object";
import { defineRefund } from "./workflow.ts";

interface Env {
  readonly API_TOKEN?: string;
  readonly PAYOUT_URL?: string;
  readonly REFUNDS: ObjectNamespace;
}

export class Refunds extends DurableObject<Env> {
  readonly #host = host(this.ctx, (platform) =>
    createEngine({
      workflows: { REFUND: defineRefund(this.env.PAYOUT_URL) },
      store: durableObject(this.ctx.storage),
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

// oxlint-disable-next-line import/no-default-export -- Cloudflare takes the handler from there
export default handler<Env>({ objects: (env) => env.REFUNDS, name: "refunds" });
