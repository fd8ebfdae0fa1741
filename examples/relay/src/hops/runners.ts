/** The programs of `runners/`, as files and as bundles. */
import { fileURLToPath } from "node:url";
import { build, type Platform } from "esbuild";

/** The package's folder: from there every program finds what it imports. */
export const HERE: string = fileURLToPath(new URL("../..", import.meta.url));

/** A program of `runners/`, as it is. */
export const runnerFile = (name: string): string => `${HERE}src/runners/${name}.ts`;

export interface BundleOptions {
  readonly runner: string;
  readonly outfile: string;
  readonly format: "esm" | "cjs";
  /** @default "neutral" */
  readonly platform?: Platform;
  readonly external?: readonly string[];
}

/** Bundles a program as a deployment would. */
export async function bundleRunner(options: BundleOptions): Promise<void> {
  const { runner, outfile, format, platform = "neutral", external = [] } = options;
  await build({
    entryPoints: [runnerFile(runner)],
    absWorkingDir: HERE,
    outfile,
    format,
    platform,
    bundle: true,
    minify: true,
    target: "es2022",
    ...(platform === "neutral"
      ? { mainFields: ["module", "main"], conditions: ["workerd", "worker", "browser"] }
      : {}),
    // Some packages for Node are CommonJS and ask for modules by `require`.
    ...(platform === "node" && format === "esm" ? { banner: { js: REQUIRE } } : {}),
    external: ["pg-native", "cloudflare:*", ...external],
    logLevel: "silent",
  });
}

const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
