/** Bundles an example and its bare neighbour alike: ES modules, minified, with their drivers. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { EXAMPLES, type PlatformName, PLATFORM_ROWS } from "./platform-rows.ts";

export type Side = "ours" | "bare";

export interface PlatformBundle {
  readonly path: string;
  readonly bytes: number;
  readonly gzipBytes: number;
}

/** Where the bare applications find Hono and its server for Node. */
const NODE_ADAPTER = fileURLToPath(new URL("../../../adapters/node/", import.meta.url));
/** Beside the packages of the benchmarks: the native driver of Node's example is one of them, and no bundle can carry it. */
const OUT = fileURLToPath(new URL("../../node_modules/.cache/platforms/", import.meta.url));

/** CommonJS drivers ask for modules of Node by `require`. */
const REQUIRE = `import { createRequire as createBundleRequire } from "node:module";
const require = createBundleRequire(import.meta.url);`;

/** The class that Durable Objects extend exists in workerd only. */
const WORKERS_STUB: Plugin = {
  name: "workers-stub",
  setup(plugin) {
    plugin.onResolve({ filter: /^cloudflare:workers$/ }, ({ path }) => ({
      path,
      namespace: "stub",
    }));
    plugin.onLoad({ filter: /.*/, namespace: "stub" }, () => ({
      contents: "export class DurableObject {}",
    }));
  },
};

export const hasExample = (name: PlatformName): boolean =>
  existsSync(EXAMPLES + PLATFORM_ROWS[name].entry);

export async function bundlePlatform(name: PlatformName, side: Side): Promise<PlatformBundle> {
  const { entry, bare, bundling } = PLATFORM_ROWS[name];
  const input =
    side === "ours"
      ? { entryPoints: [EXAMPLES + entry] }
      : { stdin: { contents: bare, resolveDir: NODE_ADAPTER } };
  const { outputFiles } = await build({
    ...input,
    ...bundling,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    mainFields: ["module", "main"],
    plugins: [WORKERS_STUB],
    logLevel: "error",
  });
  const code = outputFiles[0]?.text ?? "";
  const path = `${OUT}${name}-${side}.mjs`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bundling.platform === "node" ? `${REQUIRE}\n${code}` : code);
  return { path, bytes: Buffer.byteLength(code), gzipBytes: gzipSync(code).byteLength };
}
