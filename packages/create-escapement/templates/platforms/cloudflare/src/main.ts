/** The application on Cloudflare: a Worker, and the Durable Object that runs the workflows and wakes itself. */
import { DurableObject } from "cloudflare:workers";
import { defineObject, handler, type ObjectNamespace } from "@escapement/cloudflare";
import { bearerAuth, createEngine } from "@escapement/engine";
import { createStore, type DatabaseEnv } from "./object-store.ts";
import { signup } from "./workflow.ts";

interface Env extends DatabaseEnv {
  readonly API_TOKEN?: string;
  readonly WORKFLOWS: ObjectNamespace;
}

export const Workflows = defineObject(DurableObject<Env>, ({ ctx, env, platform }) =>
  createEngine({
    workflows: { SIGNUP: signup },
    store: createStore(ctx.storage, env),
    platform,
    http: { authorizeRequest: bearerAuth(env.API_TOKEN) },
  }),
);

export default handler<Env>({ objects: (env) => env.WORKFLOWS, name: "escapement-app" });
