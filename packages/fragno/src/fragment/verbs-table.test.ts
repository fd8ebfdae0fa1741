/** The guide's table of verbs contains every existing name, and no other. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listRoutes } from "@escapement/engine/internal";
import { createWorkflowsClients } from "./clients/vanilla.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { EMBEDDED } from "./testing-step-tx.ts";

let scene: Scene<{}>;
beforeAll(async () => {
  scene = await openScene(EMBEDDED, { workflows: {} });
});
afterAll(() => scene.close());

/** Names in each cell, without the first column. */
async function readTable(): Promise<readonly (readonly (readonly string[])[])[]> {
  const guide = await readFile(
    new URL("../../../../docs/guides/fragno.md", import.meta.url),
    "utf8",
  );
  const [, section = ""] = guide.split("### Every verb, by every way\n");
  const lines =
    section
      .split("\n### ")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("| ")) ?? [];
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(2, 6)
      .map((cell) => [...cell.matchAll(/`(\w+)`/gu)].map(([, name = ""]) => name)),
  );
}

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

test("the guide's table names every verb by every way, and nothing else", async () => {
  const rows = await readTable();
  const column = (index: number): readonly string[] =>
    sorted(rows.flatMap((row) => row[index] ?? []));
  const { engine, services } = scene.fragment;
  // `platform` is what the engine runs on, and no verb.
  const verbs = Object.keys(engine).filter((name) => name !== "platform");
  expect(column(0)).toEqual(sorted(verbs));
  expect(column(1)).toEqual(sorted(listRoutes().map(([name]) => name)));
  expect(column(2)).toEqual(sorted(Object.keys(services)));
  expect(column(3)).toEqual(sorted(Object.keys(createWorkflowsClients())));
});
