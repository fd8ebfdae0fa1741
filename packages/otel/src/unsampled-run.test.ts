/** What is done for runs that no sampler takes: as much for one of many steps as for one of few. */
import { type Context, context, trace } from "@opentelemetry/api";
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
  /** Names of spans that a sampler was asked for, each of which is a call of `startSpan`. */
  readonly asked: readonly string[];
  /** Contexts that were entered. */
  readonly entered: number;
  /** Spans that bodies saw as the active one, by id. */
  readonly seen: ReadonlySet<string | undefined>;
  readonly finished: number;
}

const CALL = "GET /price";

/** Runs an instance of so many steps, each of which makes a span of its own, as instrumented calls do. */
async function runUnsampled(steps: number): Promise<Done> {
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
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    for (let k = 0; k < steps; k += 1)
      await step.do(`step ${k}`, () => {
        trace.getTracer("app").startSpan(CALL).end();
        seen.add(trace.getActiveSpan()?.spanContext().spanId);
      });
  });
  const harness = createHarness({ workflows: { W: w }, telemetry: openTelemetry() });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();

  expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  const finished = exporter.getFinishedSpans().length;
  return { asked, entered: manager.entered.length, seen, finished };
}

it.each([3, 30])(
  "S8-014 a run of %i steps that is not sampled asks the sampler once, enters one context, and has no span",
  async (steps) => {
    const { asked, entered, seen, finished } = await runUnsampled(steps);
    expect(asked.filter((name) => name !== CALL)).toEqual(["create w", "run w"]);
    // The call that creates it has one too.
    expect(entered).toBe(2);
    expect(finished).toBe(0);
    // All bodies see the run: that is what tells their calls that they are not sampled.
    expect([...seen]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/u)]);
  },
);
