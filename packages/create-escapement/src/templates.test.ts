import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMBINATIONS, databasesOf, PLATFORM_NAMES } from "./combinations.ts";
import { layersOf } from "./layers.ts";
import { readLayers } from "./read-layers.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, "utf8");

type Dependencies = Readonly<Record<string, string>>;
interface Manifest {
  readonly version: string;
  readonly scripts: Dependencies;
  readonly dependencies: Dependencies;
  readonly devDependencies: Dependencies;
}
const readManifest = (text: string): Manifest => JSON.parse(text) as Manifest;

/** Versions that the repository itself is tested with. */
const LOCKFILE = read("pnpm-lock.yaml");
const VENDORS = ["cloudflare", "frameworks"].map((name) =>
  read(`runtime-tests/vendors/${name}/pnpm-lock.yaml`),
);
const { version: OURS } = readManifest(read("packages/create-escapement/package.json"));

test.each(COMBINATIONS)(
  "a project on $platform with $framework and $database has what it needs, at the exact versions that are tested here",
  (combination) => {
    const files = readLayers(layersOf(combination), "my-app");
    const manifest = readManifest(files.get("package.json") ?? "");
    for (const script of ["dev", "start", "test", "typecheck", "deploy"])
      expect(manifest.scripts[script], script).toMatch(/\S/);
    const all = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(all["@escapement/engine"]).toBe(OURS);
    expect(all[`@escapement/${combination.platform}`]).toBe(OURS);
    for (const [name, version] of Object.entries(all)) {
      if (name.startsWith("@escapement/")) continue;
      const isTested = [LOCKFILE, ...VENDORS].some((text) => text.includes(`${name}@${version}`));
      expect(isTested || UNTESTED.has(name), `${name}@${version}`).toBe(true);
    }
    for (const path of ["README.md", "tsconfig.json", ".gitignore", ".env.example"])
      expect(files.get(path), path).toBeDefined();
    expect(files.get("src/engine.ts") ?? files.get("src/main.ts")).toContain("createEngine(");
  },
);

test.each(COMBINATIONS)(
  "S8-016 every link of the page of a project on $platform with $framework and $database leads to a file of it",
  (combination) => {
    const files = readLayers(layersOf(combination), "my-app");
    const links = (files.get("README.md") ?? "").matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
    const leadsNowhere = [...links]
      .map(([, target = ""]) => target)
      .filter((target) => ![...files.keys()].some((path) => `${path}/`.startsWith(`${target}/`)));
    expect(leadsNowhere).toEqual([]);
  },
);

/** Types only. */
const UNTESTED = new Set(["@cloudflare/workers-types"]);

test("the workflow is the one of the first page", () => {
  const template = read("packages/create-escapement/templates/base/src/workflow.ts");
  expect(template).toBe(read("examples/hello/src/workflow.ts"));
});

test.each(PLATFORM_NAMES)(
  "the program of %s is the example's, but for workflow and store",
  (name) => {
    const [database = "sqlite"] = databasesOf(name);
    const layers = layersOf({ platform: name, framework: "none", database });
    const template = readLayers(layers, "my-app").get("src/main.ts") ?? "";
    const example = read(`examples/platforms/${name}/src/main.ts`);
    const essence = (text: string): readonly string[] =>
      [
        ...text.matchAll(
          /\b(?:create\w*Platform|serve|start|handler|host|bearerAuth|\w+Handler)\(/g,
        ),
      ]
        .map(([call]) => call)
        .toSorted();
    expect(essence(template)).toEqual(essence(example));
  },
);
