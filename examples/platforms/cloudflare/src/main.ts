/** The application on Cloudflare: a Worker, and the Durable Object that keeps the refunds and wakes itself. */
import { DurableObject } from "cloudflare:workers";
import { defineObject, handler, type ObjectNamespace } from "@escapement/cloudflare";
import { bearerAuth, createEngine } from "@escapement/engine";
import { durableObject } from "@escapement/engine/durable-object";
import { defineRefund } from "./workflow.ts";

interface Env {
  readonly API_TOKEN?: string;
  readonly PAYOUT_URL?: string;
  readonly REFUNDS: ObjectNamespace;
}

export const Refunds = defineObject(DurableObject<Env>, ({ ctx, env, platform }) =>
  createEngine({
    workflows: { REFUND: defineRefund(env.PAYOUT_URL) },
    store: durableObject(ctx.storage),
    platform,
    http: { authorizeRequest: bearerAuth(env.API_TOKEN) },
  }),
);

// oxlint-disable-next-line import/no-default-export -- Cloudflare takes the handler from there
export default handler<Env>({ objects: (env) => env.REFUNDS, name: "refunds" });
