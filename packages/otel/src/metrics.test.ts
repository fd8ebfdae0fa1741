/** Counts through OpenTelemetry's own API. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
} from "@opentelemetry/sdk-metrics";
import { defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";

it("S8-014 S3-055 runs, attempts and how late runs go on are counted by a meter provider", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("work", () => 1);
    await step.sleep("nap", "1 minute");
  });
  const harness = createHarness({
    workflows: { W: w },
    telemetry: openTelemetry({ meterProvider }),
  });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await harness.clock.advance(90_000);
  await harness.runUntilIdle();

  /** The values of the last export. */
  const points = async (name: string): Promise<readonly DataPoint<unknown>[]> => {
    await reader.forceFlush();
    const { scopeMetrics } = exporter.getMetrics().at(-1) ?? { scopeMetrics: [] };
    const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  };
  const attributes = { "escapement.workflow.name": "w" };
  // The code for listeners is loaded with the first of them.
  await expect.poll(() => points("escapement.runs.held")).toMatchObject([{ value: 0, attributes }]);
  for (const name of ["instances.started", "instances.ended", "attempts"])
    expect(await points(`escapement.${name}`)).toMatchObject([{ value: 1, attributes }]);
  expect(await points("escapement.wait.lateness")).toMatchObject([
    { value: { count: 1, sum: 30 }, attributes },
  ]);
  await meterProvider.shutdown();
});

it("S8-014 engines of one process count together, also under names that are in both", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("work", () => 1);
  });
  for (const id of ["x", "y"]) {
    const telemetry = openTelemetry({ meterProvider });
    const harness = createHarness({ workflows: { W: w }, telemetry });
    await harness.workflows.W.create({ id });
    await harness.runUntilIdle();
  }

  const values = async (): Promise<object> => {
    await reader.forceFlush();
    const { scopeMetrics } = exporter.getMetrics().at(-1) ?? { scopeMetrics: [] };
    const points = scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.map(({ value }) => value)]);
    return Object.fromEntries(points) as object;
  };
  await expect.poll(values).toMatchObject({
    "escapement.instances.started": [2],
    "escapement.instances.ended": [2],
    "escapement.attempts": [2],
    "escapement.runs.held": [0],
  });
  await meterProvider.shutdown();
});
