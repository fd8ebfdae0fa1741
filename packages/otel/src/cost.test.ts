/** The countable cost of telemetry: calls of OpenTelemetry, and trips to the database. */
import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";

const STORIES = 20;
const STEPS = ["a", "b", "c"];
const NOW = 1_767_225_600_000;

const three = defineWorkflow({ name: "three" }, async (_event, step) => {
  for (const name of STEPS) await step.do(name, () => name);
});

class CountingManager extends AsyncLocalStorageContextManager {
  entered = 0;

  override with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    entered: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    if (entered !== ROOT_CONTEXT) this.entered += 1;
    return super.with(entered, fn, thisArg, ...args);
  }
}

/** Every n-th root is sampled; Infinity: none. */
function every(count: number): Sampler {
  let asked = 0;
  const root: Sampler = {
    shouldSample: (...[, , , , , [link]]) => {
      asked += 1;
      const isTaken = link === undefined ? asked % count === 0 : true;
      return {
        decision: isTaken ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
      };
    },
  };
  return new ParentBasedSampler({ root });
}

interface Done {
  /** Calls of `startSpan`. */
  readonly started: number;
  /** Uses of spans, except reads. */
  readonly told: number;
  /** Contexts that were entered, except the empty one. */
  readonly entered: number;
  readonly finished: number;
  /** The store's calls, with the content of each. */
  readonly trips: readonly string[];
}

const READING = new Set<PropertyKey>(["spanContext", "isRecording"]);

/** Runs stories of three concurrent steps. @param count every n-th is sampled; null: without telemetry */
async function runStories(count: number | null): Promise<Done> {
  const manager = new CountingManager();
  let [started, told, finished] = [0, 0, 0];
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: () => void (finished += 1),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const provider = new BasicTracerProvider({
    sampler: every(count ?? 1),
    spanProcessors: [processor],
  });
  trace.disable();
  context.disable();
  context.setGlobalContextManager(manager.enable());
  const watch = (span: Span): Span =>
    new Proxy(span, {
      get: (target, name) => {
        if (!READING.has(name)) told += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const getTracer = (): Tracer => {
    const tracer = provider.getTracer("counted");
    return {
      startActiveSpan: tracer.startActiveSpan.bind(tracer),
      startSpan: (...input) => {
        started += 1;
        return watch(tracer.startSpan(...input));
      },
    };
  };
  const { store, trips } = countTrips();
  const harness = createHarness({
    workflows: { THREE: three },
    store: { store, clock: { now: () => NOW, advance: () => undefined } },
    telemetry:
      count === null
        ? undefined
        : openTelemetry({ tracerProvider: { getTracer }, wholeStories: true }),
  });
  const ids = Array.from({ length: STORIES }, (_, k) => `story-${k}`);
  const create = (id = ""): Promise<unknown> => harness.workflows.THREE.create({ id });
  // Two calls by each caller, one after the other. If they settled separately, separate trips would follow.
  const callers = ids.slice(STORIES / 2);
  await Promise.all(callers.map((id, k) => create(id).then(() => create(ids[k]))));
  await harness.runUntilIdle();
  const done = { started, told, entered: manager.entered, finished, trips: [...trips] };
  for (const id of ids)
    expect(await harness.status("three", id)).toMatchObject({ status: "complete" });
  return done;
}

interface Counted {
  readonly store: ReturnType<typeof createMemoryStore>;
  readonly trips: readonly string[];
}

/** A store that records each call with the number of its items. */
function countTrips(): Counted {
  const inner = createMemoryStore({ now: () => NOW });
  const trips: string[] = [];
  const store = new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...input: unknown[]): unknown => {
        const [first] = input;
        trips.push(`${String(name)} ${Array.isArray(first) ? first.length : 1}`);
        return Reflect.apply(value, target, input);
      };
    },
  });
  return { store, trips };
}

it("S8-014 a story of three steps that is not sampled is one call of the SDK, and a context for its code and each of its bodies at most", async () => {
  const done = await runStories(Infinity);
  expect(done.started).toBe(STORIES);
  expect(done.told).toBe(0);
  expect(done.finished).toBe(0);
  expect(done.entered).toBeLessThanOrEqual(STORIES * (1 + STEPS.length));
});

it("S8-014 a story of three steps that is sampled is five spans, 21 calls of their methods, and a context for each", async () => {
  const done = await runStories(1);
  expect(done.started).toBe(STORIES * 5);
  expect(done.finished).toBe(STORIES * 5);
  expect(done.told).toBeLessThanOrEqual(STORIES * 21);
  expect(done.entered).toBeLessThanOrEqual(STORIES * 5);
});

it.each([
  ["none", Infinity],
  ["one in ten", 10],
  ["all", 1],
])(
  "S8-014 with telemetry the same trips carry the same as without, where of the stories %s is sampled",
  async (_which, count) => {
    const without = await runStories(null);
    expect(without.trips.length).toBeGreaterThan(5);
    expect((await runStories(count)).trips).toEqual(without.trips);
  },
);
