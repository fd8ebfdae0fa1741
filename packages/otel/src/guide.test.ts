/** The guide's tables of spans, attributes and metrics, checked with what is emitted. */
import { readFileSync } from "node:fs";
import { SpanKind } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { defineTopic, defineWorkflow, NonRetryableError } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";
import { registerSdk } from "./testing-spans.ts";

const PAGE = readFileSync(
  new URL("../../../docs/guides/observability.md", import.meta.url),
  "utf8",
);
const TRACES = PAGE.slice(PAGE.indexOf("## Traces"));

/** The rows of the table whose header begins like this. */
function rowsOf(head: string): readonly (readonly string[])[] {
  const lines = TRACES.slice(TRACES.search(new RegExp(`^\\| ${head} `, "mu"))).split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(2, end).map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

const namesIn = (cell = ""): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/gu)].map(([, name]) => name ?? "");

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

const news = defineTopic({ name: "news" });

const tokens: string[] = [];

const w = defineWorkflow(
  { name: "w", runRetries: { limit: 1, delay: "1 second" } },
  async (_event, step) => {
    await step.do("work", () => 1);
    await step.sleep("nap", "1 minute");
    await step.waitForEvent("go", { type: "go" });
    const approval = await step.callback("approve");
    tokens.push(approval.token);
    await approval.payload();
    await step.do("fail", () => {
      throw new NonRetryableError("no");
    });
  },
);

/** Does everything that is reported, once. */
async function runAll(telemetry: ReturnType<typeof openTelemetry>): Promise<void> {
  const harness = createHarness({
    workflows: { W: w },
    topics: [news],
    telemetry,
    callbacks: {
      url: "https://app.example/api",
      signingKeys: ["5dDk0QmP1uZr8XwYc3bVn7eHgT2sLfAi"],
    },
  });
  await harness.workflows.W.create({ id: "x" });
  await harness.workflows.W.createBatch([{ id: "y" }, { id: "z" }]);
  await harness.engine.emit(news, {});
  await harness.runThroughTime(120_000);
  await harness.sendEvent("w", "x", { type: "go" });
  await harness.runUntilIdle();
  await harness.engine.completeCallback(tokens[0] ?? "", {});
  await harness.runThroughTime();
}

/** In the guide's form: `run <workflow>`. */
function toKind({ name, kind }: ReadableSpan): string {
  const [operation = ""] = name.split(" ");
  const of = { step: "name", emit: "topic" }[operation] ?? "workflow";
  return `\`${operation} <${of}>\` \`${SpanKind[kind]}\``;
}

it("S8-014 the guide's tables have each span with its kind, and each attribute with the spans that it is on", async () => {
  const finished = registerSdk();
  await runAll(openTelemetry());
  const spans = finished();
  expect(sorted(rowsOf("span").map(([name, kind]) => `${name} ${kind}`))).toEqual(
    sorted(spans.map(toKind)),
  );

  const told = rowsOf("attribute").flatMap(([names, on]) =>
    namesIn(names).map((name) => [name, on] as const),
  );
  const emitted = spans.flatMap(({ attributes, links }) => [
    ...Object.keys(attributes),
    ...links.flatMap((link) => Object.keys(link.attributes ?? {})),
  ]);
  expect(sorted(told.map(([name]) => name))).toEqual(sorted(emitted));
  const operations = ["create", "send", "emit", "run", "step"];
  for (const [attribute, on = ""] of told) {
    if (on === "links" || on === "spans that failed") continue;
    const having = spans.filter(({ attributes }) => attribute in attributes);
    const expected = on === "all but `step`" ? operations.slice(0, -1) : namesIn(on);
    expect([attribute, sorted(having.map(({ name }) => name.split(" ")[0] ?? ""))]).toEqual([
      attribute,
      sorted(expected),
    ]);
  }
});

it("S8-014 the guide's table has each metric of a meter provider with its attributes", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  await runAll(openTelemetry({ meterProvider }));
  const emitted = async (): Promise<object> => {
    await reader.forceFlush();
    const { scopeMetrics } = exporter.getMetrics().at(-1) ?? { scopeMetrics: [] };
    const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
    return Object.fromEntries(
      metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        sorted(dataPoints.flatMap(({ attributes }) => Object.keys(attributes))),
      ]),
    );
  };
  const rows = rowsOf("metric").map(([name, attributes]) => [
    namesIn(name)[0],
    sorted(namesIn(attributes)),
  ]);
  expect(rows.length).toBeGreaterThan(5);
  // The code for listeners is loaded with the first of them.
  await expect.poll(emitted).toEqual(Object.fromEntries(rows));
  await meterProvider.shutdown();
});
