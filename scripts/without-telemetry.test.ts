/** What listeners and telemetry weigh and cost where nobody uses them. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT } from "./project-files.ts";

/** Files that are loaded with the entries, and not later. */
async function filesOf(...entries: readonly string[]): Promise<readonly string[]> {
  const contents = entries.map((name, k) => `export * as part${k} from "${name}";`).join("\n");
  const { metafile } = await build({
    stdin: { contents, resolveDir: ROOT, sourcefile: "entry.js" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "bundle",
    external: ["pg", "pg-native", "libsql"],
    outdir: ".",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const chunks = new Set<string>();
  const add = (chunk: string): void => {
    if (chunks.has(chunk)) return;
    chunks.add(chunk);
    for (const { path, kind } of metafile.outputs[chunk]?.imports ?? [])
      if (kind === "import-statement" && path in metafile.outputs) add(path);
  };
  const entry = Object.entries(metafile.outputs).find(([, out]) => out.entryPoint === "entry.js");
  add(entry?.[0] ?? "");
  return [...chunks].flatMap((chunk) => Object.keys(metafile.outputs[chunk]?.inputs ?? {}));
}

it.each([
  ["the tick path", ["@escapement/engine/tick"]],
  [
    "a function with Postgres",
    ["@escapement/engine", "@escapement/engine/http", "@escapement/engine/postgres"],
  ],
])("S8-014 %s has no byte of OpenTelemetry, nor of what tells listeners", async (_of, entries) => {
  const files = await filesOf(...entries);
  expect(files).toContainEqual(expect.stringMatching(/engine\/src\/run\/lifecycle\.ts$/u));
  const others = /opentelemetry|packages\/otel|run\/(?:notify-listeners|lifecycle-events)\.ts$/u;
  expect(files.filter((file) => others.test(file))).toEqual([]);
});

/** Of a workflow of three steps on Postgres, the least that was measured, in microseconds of processor time. */
const WORKFLOW_US = 250;

const three = defineWorkflow({ name: "three" }, async (_event, step) => {
  for (const name of ["a", "b", "c"]) await step.do(name, () => name);
});

/** How often an engine looks whether anybody is to be told, or called, during a workflow of three steps. */
async function countLooks(): Promise<number> {
  let looks = 0;
  const note = <T>(value: T): T => {
    looks += 1;
    return value;
  };
  const engine = createEngine({
    workflows: { THREE: three },
    store: createMemoryStore(),
    logger: { log: () => undefined },
    telemetry: {
      follow: () => ({
        begin: () => note(undefined),
        attemptOver: () => note(undefined),
        committed: () => note(undefined),
        left: () => note(undefined),
        within: (_step, call, input) => note(call)(input),
        stamp: () => note({}),
        logIds: () => note({}),
      }),
      stamp: () => note({}),
      enqueue: queueMicrotask,
      wrapVerbs: (verbs) => verbs,
      wrapLogger: (logger) => logger,
      wrapFetch: (fetch) => fetch,
      attach: (heard) => void heard.on("claimed", () => undefined, true),
    },
  });
  const { id } = await engine.workflows.THREE.create();
  await engine.tick();
  expect(await (await engine.workflows.THREE.get(id)).status()).toMatchObject({
    status: "complete",
  });
  await engine.close();
  return looks;
}

interface Hook {
  tell: ((notice: object) => void) | null;
}

/** The least of many, since a machine has other things to do. @returns nanoseconds */
function timeLook(): number {
  const hooks: readonly Hook[] = [{ tell: null }, { tell: null }];
  let leastMs = Infinity;
  for (let batch = 0; batch < 200; batch += 1) {
    const beganAtMs = performance.now();
    for (let k = 0; k < LOOKS; k += 1) hooks[k & 1]?.tell?.({ kind: "began", k });
    leastMs = Math.min(leastMs, performance.now() - beganAtMs);
  }
  return (leastMs * 1_000_000) / LOOKS;
}

const LOOKS = 10_000;

it("S8-014 without listeners and telemetry a workflow of three steps takes less than 0.5 % for asking whether there are any", async () => {
  const looks = await countLooks();
  expect(looks).toBeGreaterThan(5);
  expect(looks).toBeLessThan(30);
  expect((looks * timeLook()) / 1000 / WORKFLOW_US).toBeLessThan(0.005);
});
