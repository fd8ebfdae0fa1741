/** The application on Cloudflare and Hono: a Worker with your routes, and the Durable Object that runs the workflows and wakes itself. */
import { DurableObject } from "cloudflare:workers";
import { defineObject, handler, type ObjectNamespace } from "@escapement/cloudflare";
import { bearerAuth, createEngine } from "@escapement/engine";
import { Hono } from "hono";
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
    http: { mountRoute: "/api/workflows", authorizeRequest: bearerAuth(env.API_TOKEN) },
  }),
);

const workflows = handler<Env>({ objects: (env) => env.WORKFLOWS, name: "escapement-app" });
const app = new Hono<{ Bindings: Env }>();
app.all("/api/workflows/*", (context) => workflows.fetch(context.req.raw, context.env));
app.get("/", (context) => context.text("The API of the workflows is at /api/workflows.\n"));

export default { fetch: app.fetch, scheduled: workflows.scheduled };
