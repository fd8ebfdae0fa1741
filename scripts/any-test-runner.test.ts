/** The harness is for whatever test runner somebody has. */
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT } from "./project-files.ts";

/** Packages that an entry imports, by itself or by its own packages. */
async function packagesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from "${entry}";`, resolveDir: ROOT },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["vitest"],
    outdir: ".",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const outputs = Object.values(metafile.outputs);
  return outputs.flatMap(({ imports }) => imports.map(({ path }) => path));
}

it("the harness and replays import no test runner; the store contract does", async () => {
  expect(await packagesOf("@escapement/engine/testing")).not.toContain("vitest");
  expect(await packagesOf("@escapement/engine/testing/replay")).not.toContain("vitest");
  expect(await packagesOf("@escapement/engine/testing/store-contract")).toContain("vitest");
});
