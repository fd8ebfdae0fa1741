/** The process of a play: it dies at one point, and another one takes its place. */
import type { EpochMs } from "../../core/model/records.ts";
import type { WorkflowEvent } from "../../authoring/step.ts";
import type { StepContext } from "../../authoring/step-options.ts";
import type { Fault, StoreCall } from "../fault-store.ts";
import type { Life } from "./shifted-globals.ts";
import { toStepPath } from "./step-path.ts";
import { Trace } from "./trace.ts";
import type { Replay, Watch } from "./traced-workflow.ts";

/** What the bodies of one step did, under one idempotency key. */
export interface BodyRuns {
  readonly path: string;
  /** How often a body ended without an error. */
  returns: number;
  hasReadKey: boolean;
}

/** Options of a play's process. */
export interface ProcessOptions {
  readonly instanceId: string;
  /** 0-based: the point at which it dies; null: never. */
  readonly crashAt: number | null;
  /** The number of the first process. */
  readonly firstLife: number;
  readonly now: () => EpochMs;
}

/** Watches the workflow, counts the points at which the process may die, and dies at one of them. */
export class CrashingProcess implements Watch, Life {
  readonly traces: Trace[] = [];
  readonly bodies: Map<string, BodyRuns> = new Map();
  readonly now: () => EpochMs;
  life: number;
  pointCount = 0;
  /** Where it died, in words; null: it has not died. */
  crash: string | null = null;
  /** Ends the process, and begins the next one. */
  restart: () => void = () => {};
  readonly #instanceId: string;
  readonly #crashAt: number | null;
  #commitCount = 0;
  #lastPath = "";

  constructor({ instanceId, crashAt, firstLife, now }: ProcessOptions) {
    this.#instanceId = instanceId;
    this.#crashAt = crashAt;
    this.life = firstLife;
    this.now = now;
  }

  /** The fault plan of its store: a commit is not applied if the process dies before it, and applied if it dies after it. */
  planCall({ verb }: StoreCall): Fault {
    if (verb !== "commit") return "none";
    this.#commitCount += 1;
    const last =
      this.#lastPath === "" ? "" : `, the last body to run being that of "${this.#lastPath}"`;
    const commit = `commit ${this.#commitCount}${last}`;
    if (this.#reach(() => `before ${commit}`)) return "hang";
    this.#reach(() => `after ${commit}`);
    return "none";
  }

  beginReplay({ instanceId }: WorkflowEvent<unknown>): Replay | null {
    if (instanceId !== this.#instanceId) return null;
    const { life } = this;
    const isLive = (): boolean => this.life === life;
    const trace = new Trace(isLive);
    this.traces.push(trace);
    return {
      trace,
      runBody: (context, run) => (isLive() ? this.#runBody(isLive, context, run) : never()),
    };
  }

  /** Ends it for good. */
  end(): void {
    this.life += 1;
    this.restart();
  }

  #runBody(
    isLive: () => boolean,
    context: StepContext,
    run: (context: StepContext) => unknown,
  ): unknown {
    const runs = this.#findRuns(context);
    this.#lastPath = runs.path;
    const value = run(watchKey(context, runs));
    const end = <T>(result: T): T | Promise<never> => {
      if (!isLive()) return never();
      runs.returns += 1;
      const where = `after the body of "${runs.path}" returned, before that was committed`;
      return this.#reach(() => where) ? never() : result;
    };
    return isThenable(value) ? Promise.resolve(value).then(end) : end(value);
  }

  #findRuns({ idempotencyKey, stepKey }: StepContext): BodyRuns {
    const runs = this.bodies.get(idempotencyKey) ?? {
      path: toStepPath(stepKey),
      returns: 0,
      hasReadKey: false,
    };
    this.bodies.set(idempotencyKey, runs);
    return runs;
  }

  /** Counts a point. @returns whether the process died there */
  #reach(toWords: () => string): boolean {
    const point = this.pointCount;
    this.pointCount += 1;
    if (point !== this.#crashAt) return false;
    this.crash = toWords();
    this.end();
    return true;
  }
}

const never = (): Promise<never> => new Promise(() => {});

const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "then" in value;

/** The context, which also records that its key was read. */
const watchKey = (context: StepContext, runs: BodyRuns): StepContext =>
  new Proxy(context, {
    get: (target, name) => {
      if (name === "idempotencyKey") runs.hasReadKey = true;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
