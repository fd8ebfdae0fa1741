/** Runs in workerd: the strangers' engine behind the Cloudflare adapter, in a Durable Object. */
import { DurableObject } from "cloudflare:workers";
import { defineObject, handler, type ObjectNamespace } from "@escapement/cloudflare";
import { openStrangerEngine } from "./stranger-scene.ts";

interface Env {
  readonly WORKFLOWS: ObjectNamespace;
}

export const Workflows = defineObject(DurableObject<Env>, openStrangerEngine);

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default handler<Env>({ objects: (env) => env.WORKFLOWS, name: "strangers" });
