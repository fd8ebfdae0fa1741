/** Runs in workerd: the shop of `fragno-app.ts` on D1 under `/d1`, on a Durable Object's storage under `/object`. */
import { DurableObject } from "cloudflare:workers";
import { createD1Database, type D1Binding } from "@escapement/db/d1";
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import { openFragnoApp } from "./fragno-app.ts";

/** Serves the shop on its own storage. */
export class Shop extends DurableObject {
  readonly #serve = openFragnoApp(createDurableObjectDatabase(this.ctx.storage));

  fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }
}

interface Env {
  readonly DB: D1Binding;
  readonly SHOP: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

let serve: ((request: Request) => Promise<Response>) | null = null;

const worker = {
  fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const [, place = ""] = url.pathname.split("/");
    url.pathname = url.pathname.slice(place.length + 1);
    const inner = new Request(url, request);
    if (place === "object") return env.SHOP.getByName("shop").fetch(inner);
    serve ??= openFragnoApp(createD1Database(env.DB));
    return serve(inner);
  },
};

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default worker;
