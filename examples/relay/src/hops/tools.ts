/** What the relay finds in the folder of tools that the runtime tests install. */
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const TOOLS = fileURLToPath(new URL("../../../../runtime-tests/tools/", import.meta.url));

/** The binary that Miniflare would start. */
export function findWorkerd(): { readonly binary: string; readonly version: string } {
  const miniflare = realpathSync(`${TOOLS}node_modules/miniflare/package.json`);
  const load = createRequire(miniflare);
  const installed = load("workerd") as { readonly default: string; readonly version: string };
  return { binary: installed.default, version: installed.version };
}
