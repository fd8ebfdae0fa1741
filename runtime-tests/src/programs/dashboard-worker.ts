/** Runs in workerd: the dashboard behind the Cloudflare adapter, in a Durable Object. */
import { DurableObject } from "cloudflare:workers";
import { defineObject, handler, type ObjectNamespace } from "@escapement/cloudflare";
import { openDashboard } from "./dashboard-scene.ts";

interface Env {
  readonly WORKFLOWS: ObjectNamespace;
}

export const Workflows = defineObject(DurableObject<Env>, () => {
  const opened = openDashboard();
  return { fetch: async (request: Request) => (await opened).fetch(request) };
});

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default handler<Env>({ objects: (env) => env.WORKFLOWS, name: "scene" });
