/** Runs in workerd: clients of a D1 database under `/d1`, of a Durable Object's storage under `/durable-object`. */
import { DurableObject } from "cloudflare:workers";
import { createD1Database, type D1Binding } from "@escapement/db/d1";
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import { serveClients } from "../bridge/serve-clients.ts";

/** Serves clients of its own storage. */
export class Storage extends DurableObject {
  readonly #serve = serveClients(() => createDurableObjectDatabase(this.ctx.storage));

  fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }
}

interface Env {
  readonly DB: D1Binding;
  readonly STORAGE: {
    getByName(name: string): { fetch(request: Request): Promise<Response> };
  };
}

// A binding belongs to no request, but answers are awaited in the one that asked.
let serveD1: ((request: Request) => Promise<Response>) | null = null;

const worker = {
  fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname.startsWith("/durable-object/")) {
      return env.STORAGE.getByName("contract").fetch(request);
    }
    serveD1 ??= serveClients(() => createD1Database(env.DB));
    return serveD1(request);
  },
};

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default worker;
