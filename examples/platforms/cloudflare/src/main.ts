/** The application on Cloudflare: a Worker, and the Durable Object that keeps the refunds and wakes itself. */
import { DurableObject } from "cloudflare:workers";
import { handler, host, type ObjectNamespace } from "@escapement/cloudflare";
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import { createEngine, type TickOutput } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { defineRefund } from "./workflow.ts";

interface Env {
  readonly API_TOKEN?: string;
  readonly PAYOUT_URL?: string;
  readonly REFUNDS: ObjectNamespace;
}

export class Refunds extends DurableObject<Env> {
  readonly #host = host(this.ctx, (platform) => {
    const database = createDurableObjectDatabase(this.ctx.storage);
    void this.ctx.blockConcurrencyWhile(() => migrate(database));
    return createEngine({
      workflows: { REFUND: defineRefund(this.env.PAYOUT_URL) },
      store: createSqlStore({ database }),
      platform,
      http: { authorizeRequest: bearerAuth(this.env.API_TOKEN) },
    });
  });

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
