/** What the relay finds in the folders of tools that the runtime tests install. */
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { findRuntime } from "@escapement-internal/runtime-tests/tools";

const RUNTIME_TESTS = new URL("../../../../runtime-tests/", import.meta.url);
const pathOf = (path: string): string => new URL(path, RUNTIME_TESTS).pathname;

/** The binary that Miniflare would start. */
export function findWorkerd(): { readonly binary: string; readonly version: string } {
  const miniflare = realpathSync(pathOf("tools/node_modules/miniflare/package.json"));
  const load = createRequire(miniflare);
  const installed = load("workerd") as { readonly default: string; readonly version: string };
  return { binary: installed.default, version: installed.version };
}

/** AWS's runtime client and a Node that it runs on; null when one of them is not installed. */
export function findLambdaClient(): { readonly node: string; readonly client: string } | null {
  const node = findRuntime("node24");
  const client = pathOf("vendors/aws/node_modules/aws-lambda-ric/index.mjs");
  return node === null || !existsSync(client) ? null : { node, client };
}
