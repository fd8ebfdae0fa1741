/** The class of a Durable Object that runs workflows. */
import type { Platform } from "@escapement/engine";
import type { FetchEngine } from "@escapement/engine/adapter";
import { host, type ObjectHost } from "./host.ts";
import type { CloudflarePlatformOptions } from "./platform.ts";
import type { ObjectContext } from "./workers-runtime.ts";

/**
 * Returns the class of an object that runs workflows, to be exported by the Worker:
 * `export const Orders = defineObject(DurableObject<Env>, ({ ctx, env, platform }) => createEngine({ … }))`. Extend it to give the
 * object methods of your own, which have `this.engine`.
 *
 * @param base `DurableObject` of `cloudflare:workers`, with the type of the bindings
 * @param open creates the engine of an object with its platform, on the object's own storage, D1, or any other store
 */
export function defineObject<
  TContext extends ObjectContext,
  TEnv,
  TObject extends object,
  TEngine extends FetchEngine,
>(
  base: abstract new (ctx: TContext, env: TEnv) => TObject,
  open: (object: { ctx: TContext; env: TEnv; platform: Platform }) => TEngine,
  options: CloudflarePlatformOptions = {},
): new (ctx: TContext, env: TEnv) => TObject & ObjectHost<TEngine> {
  type Class<T> = new (ctx: TContext, env: TEnv) => T;
  class WorkflowObject extends (base as unknown as Class<object>) {
    readonly #host: ObjectHost<TEngine>;
    /** A field, because Workers can call what the prototype has, and nothing else. */
    readonly engine: TEngine;
    constructor(ctx: TContext, env: TEnv) {
      super(ctx, env);
      this.#host = host(ctx, (platform) => open({ ctx, env, platform }), options);
      this.engine = this.#host.engine;
    }
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
  return WorkflowObject as unknown as Class<TObject & ObjectHost<TEngine>>;
}
