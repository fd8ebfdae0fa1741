/** The dashboard for Grafana, checked with the Prometheus route that it reads. */
import { readFileSync } from "node:fs";
import { defineWorkflow } from "@escapement/engine";
import { collectMetrics } from "@escapement/engine/metrics";
import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets: readonly { readonly expr: string }[];
}

const file = new URL("../../../docs/grafana/escapement.json", import.meta.url);
const { panels, ...dashboard } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};

/** Names of metrics and labels that the route writes after a run with everything that is counted. */
async function readMetrics(): Promise<{ names: Set<string>; labels: Set<string> }> {
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("work", () => 1);
    await step.sleep("nap", "1 minute");
  });
  const harness = createHarness({ workflows: { W: w } });
  const metrics = collectMetrics(harness.engine, { maxAgeMs: 0 });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime();
  await harness.workflows.W.create({ id: "queued" });
  // The code for listeners is loaded with the first of them.
  await expect.poll(() => metrics.text()).toContain("wait_lateness_seconds_count");
  const text = await metrics.text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const heads = [...text.matchAll(/# TYPE (\w+)/g)].map(([, name]) => name ?? "");
  return {
    names: new Set([...heads, ...samples.map((line) => /^\w+/.exec(line)?.[0] ?? "")]),
    labels: new Set([...text.matchAll(/(\w+)="/g)].map(([, name]) => name ?? "")),
  };
}

it("S8-014 every metric and label that Grafana's dashboard names is there", async () => {
  const { names, labels } = await readMetrics();
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const variables = JSON.stringify(dashboard.templating);
  const named = [...[...asked, variables].join("\n").matchAll(/escapement_\w+/g)];
  expect(named.length).toBeGreaterThan(15);
  for (const [name] of named) expect(names).toContain(name);
  for (const expr of asked) {
    for (const [, label] of expr.matchAll(/(\w+)=~?"/g)) expect(labels).toContain(label);
    for (const [, by] of expr.matchAll(/by \(([\w, ]+)\)/g))
      for (const label of by?.split(", ") ?? []) expect(labels).toContain(label);
  }
});

it("S8-014 each metric of the route is on Grafana's dashboard, whose panels say what they show and lie beside each other", async () => {
  const { names } = await readMetrics();
  const shown = JSON.stringify(panels);
  for (const name of names)
    if (!/_(?:sum|count)$/.test(name)) expect(shown).toContain(name.replace(/_bucket$/, ""));
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, description } of panels) expect(`${title}: ${description}`).toMatch(/\w: \w/);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
