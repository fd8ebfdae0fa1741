/** The cost of runs that no sampler takes: the same with many steps as with few. */
import { type Context, context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";

class CountingManager extends AsyncLocalStorageContextManager {
  readonly entered: Context[] = [];

  override with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    entered: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    this.entered.push(entered);
    return super.with(entered, fn, thisArg, ...args);
  }
}

interface Done {
  /** Names of the spans that a sampler was asked about; each is a call of `startSpan`. */
  readonly asked: readonly string[];
  /** Contexts that were entered, except the empty one. */
  readonly entered: number;
  /** Spans that bodies saw as the active one, by id. */
  readonly seen: ReadonlySet<string | undefined>;
  /** Traces of the spans of their calls. */
  readonly calls: ReadonlySet<string>;
  readonly finished: number;
}

interface Asked {
  readonly steps: number;
  readonly wholeStories: boolean;
}

const CALL = "GET /price";

/** Runs an instance with this many steps, each of which makes its own span, like instrumented calls. */
async function runUnsampled({ steps, wholeStories }: Asked): Promise<Done> {
  const asked: string[] = [];
  const exporter = new InMemorySpanExporter();
  const manager = new CountingManager();
  const parents = new ParentBasedSampler({ root: new AlwaysOffSampler() });
  const sampler: Sampler = {
    shouldSample: (...about) => {
      asked.push(about[2]);
      return parents.shouldSample(...about);
    },
  };
  trace.disable();
  context.disable();
  context.setGlobalContextManager(manager.enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({
      sampler,
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    }),
  );
  const seen = new Set<string | undefined>();
  const calls = new Set<string>();
  const note = (span: Span): void => {
    calls.add(span.spanContext().traceId);
    span.end();
  };
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    for (let k = 0; k < steps; k += 1)
      await step.do(`step ${k}`, () => {
        note(trace.getTracer("app").startSpan(CALL));
        seen.add(trace.getActiveSpan()?.spanContext().spanId);
      });
  });
  const harness = createHarness({
    workflows: { W: w },
    telemetry: openTelemetry({ wholeStories }),
  });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();

  expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  const finished = exporter.getFinishedSpans().length;
  const entered = manager.entered.filter((one) => one !== ROOT_CONTEXT).length;
  return { asked, entered, seen, calls, finished };
}

const asksOf = ({ asked }: Done): readonly string[] => asked.filter((name) => name !== CALL);

it.each([3, 30])(
  "S8-014 a run of %i steps that is not sampled asks the sampler once, enters one context, and has no span",
  async (steps) => {
    const done = await runUnsampled({ steps, wholeStories: false });
    expect(asksOf(done)).toEqual(["create w", "run w"]);
    expect(done.entered).toBe(1);
    expect(done.finished).toBe(0);
    // All bodies see the run's span, which tells their calls that they are not sampled.
    expect([...done.seen]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/u)]);
  },
);

it.each([3, 30])(
  "S8-014 with whole stories a run of %i steps asks no sampler where its creator was left out, whose trace its calls see",
  async (steps) => {
    const done = await runUnsampled({ steps, wholeStories: true });
    expect(asksOf(done)).toEqual(["create w"]);
    expect(done.entered).toBe(1);
    expect(done.finished).toBe(0);
    expect(done.calls.size).toBe(1);
    expect([...done.seen]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/u)]);
  },
);
