/** What the relay finds in the folders of tools that the runtime tests install. */
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const RUNTIME_TESTS = fileURLToPath(new URL("../../../../runtime-tests/", import.meta.url));

/** Vercel's command line, where it is installed. */
export const VERCEL: string = `${RUNTIME_TESTS}vendors/vercel/node_modules/vercel/dist/vc.js`;

/** The binary that Miniflare would start. */
export function findWorkerd(): { readonly binary: string; readonly version: string } {
  const miniflare = realpathSync(`${RUNTIME_TESTS}tools/node_modules/miniflare/package.json`);
  const load = createRequire(miniflare);
  const installed = load("workerd") as { readonly default: string; readonly version: string };
  return { binary: installed.default, version: installed.version };
}
