/**
 * Runs in workerd: the Cloudflare adapter with the contract's application. Its binding `SETTINGS` says how; below
 * `/alarms` the test takes the alarms that are kept for it, and rings; at `/rows/take` it takes the rows written.
 */
import { DurableObject } from "cloudflare:workers";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import {
  handler,
  host,
  type ObjectContext,
  type ObjectHost,
  type ObjectNamespace,
} from "@escapement/cloudflare";
import { createD1Database, type D1Binding } from "@escapement/db/d1";
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import { createEngine, type Platform } from "@escapement/engine";
import { type FetchEngine, SAME_WAKE_MS } from "@escapement/engine/adapter";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { KeptAlarm, WorkerAppSettings } from "../worker-app-settings.ts";
import { CountedStorage } from "./counted-storage.ts";
import { nap, order, slow } from "./worker-workflows.ts";

interface Env {
  readonly DB: D1Binding;
  readonly WORKFLOWS: ObjectNamespace;
  readonly SETTINGS: WorkerAppSettings;
}

export class Workflows extends DurableObject<Env> {
  readonly #kept: KeptAlarm[] = [];
  #armedAt: number | null = null;
  /** For which instant an alarm is kept that has not been rung. */
  #exactAt: number | null = null;
  readonly #faults = createFaults(this.env.SETTINGS.state);
  readonly #counted = new CountedStorage(this.ctx.storage);
  readonly #database =
    this.env.SETTINGS.database === "d1"
      ? createD1Database(this.env.DB)
      : createDurableObjectDatabase(this.#counted);
  readonly #storage = this.#openAlarm();
  #runLimitMs = 900_000;
  #host = this.#open();

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/rows/take") return Response.json(this.#counted.takeRowsWritten());
    if (pathname === "/alarms/take") return Response.json(this.#kept.splice(0));
    if (pathname !== "/alarms/ring") return this.#answer(request);
    if (searchParams.has("exact")) this.#exactAt = null;
    const runLimitMs = Number(searchParams.get("runLimitMs") ?? 900_000);
    if (runLimitMs !== this.#runLimitMs) {
      // Another limit is another life of the object, on the same storage.
      this.#runLimitMs = runLimitMs;
      this.#host = this.#open();
    }
    this.#armedAt = null;
    await this.#host.alarm();
    return new Response("rung");
  }

  alarm(): Promise<void> {
    return this.#host.alarm();
  }

  tick(): ReturnType<ObjectHost["tick"]> {
    return this.#host.tick();
  }

  async #answer(request: Request): Promise<Response> {
    const response = await this.#host.fetch(request);
    // workerd closes a connection whose request nobody reads to its end, while the client sends the next one over it.
    if (!request.bodyUsed) await request.arrayBuffer();
    return response;
  }

  #open(): ObjectHost {
    void this.ctx.blockConcurrencyWhile(async () => {
      if (this.env.SETTINGS.failsToStart === true) throw new TypeError("the database is away");
      await migrate(this.#database);
    });
    const waitUntil = (work: Promise<unknown>): void => this.ctx.waitUntil(work);
    const blockConcurrencyWhile = <T>(work: () => Promise<T>): Promise<T> =>
      this.ctx.blockConcurrencyWhile(work);
    const ctx = { storage: this.#storage, waitUntil, blockConcurrencyWhile };
    return host(ctx, (platform) => this.#openEngine(platform), {
      runLimitMs: this.#runLimitMs,
      logger: this.#faults.logger,
    });
  }

  #openEngine(platform: Platform): FetchEngine {
    const { hasTickSecrets = true, leaseMs } = this.env.SETTINGS;
    const engine = createEngine({
      workflows: { ...CONTRACT_WORKFLOWS, COUNTED: order, NAP: nap, SLOW: slow },
      store: this.#faults.wrapStore(createSqlStore({ database: this.#database })),
      platform,
      logger: this.#faults.logger,
      http: { ...CONTRACT_ACCESS, ...(hasTickSecrets ? { tick: CONTRACT_TICK } : {}) },
      ...(leaseMs === undefined ? {} : { leaseMs }),
    });
    return withProbes(engine, this.#faults);
  }

  /** The object's alarm, or what stands for it. */
  #openAlarm(): ObjectContext["storage"] {
    const { alarms = "ring" } = this.env.SETTINGS;
    const { storage } = this.ctx;
    if (alarms === "ring") return storage;
    return {
      getAlarm: async () => this.#armedAt,
      setAlarm: async (at) => {
        if (alarms === "lose") return;
        this.#armedAt = at;
        if (at <= Date.now()) this.#kept.push(null);
        // An object has one alarm: what it was set for is set again once it has rung for something that was due at once.
        else if (Math.abs(at - (this.#exactAt ?? 0)) > SAME_WAKE_MS)
          this.#kept.push((this.#exactAt = at));
      },
    };
  }
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    return toHandler(env).fetch(request, env);
  },
  scheduled(controller: unknown, env: Env): Promise<void> {
    return toHandler(env).scheduled(controller, env);
  },
};

// The settings come with the first event.
const toHandler = ({ SETTINGS: { workflowNames } }: Env) =>
  handler<Env>({
    objects: (env) => env.WORKFLOWS,
    name: "contract",
    ...(workflowNames === undefined ? {} : { workflowNames }),
  });
