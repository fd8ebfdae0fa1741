/** The frameworks of the fragment's clients, where they have been installed: pages bundled for a browser, and used in a DOM. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { build, type Plugin } from "esbuild";

const ROOT = fileURLToPath(new URL("../vendors/frontends/", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));

export type Framework = "react" | "vue" | "svelte" | "solid";

/** Why a test that needs the frameworks is skipped; null when they are there. */
export function missingFrontends(): string | null {
  const isThere = existsSync(join(ROOT, "node_modules/happy-dom"));
  return isThere ? null : `frameworks are not installed: ${HOW}`;
}

/** The page of a framework against an API: what it showed, each time that it had become what was waited for. */
export async function browse(framework: Framework, origin: string): Promise<readonly unknown[]> {
  const directory = temporaryDirectory();
  try {
    const outfile = join(directory.path, "page.mjs");
    await bundlePage(framework, outfile);
    const args = [join(ROOT, "browse.js"), outfile, origin];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  } finally {
    directory.remove();
  }
}

async function bundlePage(framework: Framework, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(ROOT, `pages/${framework}.js`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "browser",
    // As a browser's bundle: Vue and Solid have other code for servers.
    conditions: ["browser", "import"],
    define: { "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "true" },
    plugins: [resolveClients, compileSvelte],
    logLevel: "error",
  });
}

/** The clients are this repository's; Fragno's, on which they are built, are those beside the frameworks. */
const resolveClients: Plugin = {
  name: "clients",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@(escapement|fragno-dev)\// }, ({ path, kind, pluginData }) =>
      pluginData === "ours"
        ? undefined
        : resolve(path, {
            kind,
            resolveDir: path.startsWith("@escapement/") ? HERE : ROOT,
            pluginData: "ours",
          }),
    );
  },
};

interface SvelteCompiler {
  compile(source: string, options: object): { readonly js: { readonly code: string } };
  compileModule(source: string, options: object): { readonly js: { readonly code: string } };
}

/** Components, and modules with runes, of which Fragno's client is one. */
const compileSvelte: Plugin = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte(\.js)?$/ }, async ({ path: filename }) => {
      const svelte = createRequire(join(ROOT, "package.json"))("svelte/compiler") as SvelteCompiler;
      const source = await readFile(filename, "utf8");
      const compile = filename.endsWith(".js") ? svelte.compileModule : svelte.compile;
      return { contents: compile(source, { filename, generate: "client" }).js.code, loader: "js" };
    });
  },
};

const HOW = "npx pnpm@10 install --dir runtime-tests/vendors/frontends";
