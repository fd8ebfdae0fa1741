/** Runs in workerd: the strangers' engine behind the Cloudflare adapter, in a Durable Object. */
import { DurableObject } from "cloudflare:workers";
import { handler, host, type ObjectHost, type ObjectNamespace } from "@escapement/cloudflare";
import { openStrangerEngine } from "./stranger-scene.ts";

interface Env {
  readonly WORKFLOWS: ObjectNamespace;
}

export class Workflows extends DurableObject<Env> {
  readonly #host = host(this.ctx, openStrangerEngine);

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
export default handler<Env>({ objects: (env) => env.WORKFLOWS, name: "strangers" });
