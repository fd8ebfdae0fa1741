/** Cloudflare's own tool, where it has been installed. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../vendors/cloudflare/node_modules/", import.meta.url));

/** Its program. Not the launcher: a launcher that is killed leaves it running. */
export const WRANGLER_PROGRAM: string = `${MODULES}wrangler/wrangler-dist/cli.js`;

/** Neither reports anything about us nor asks for anything; there is no network in tests. */
export const WRANGLER_ENV: Readonly<Record<string, string>> = {
  CI: "1",
  NO_COLOR: "1",
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

/** Why a test that needs wrangler is skipped; null when it is there. */
export function missingWrangler(): string | null {
  return existsSync(WRANGLER_PROGRAM)
    ? null
    : "wrangler is not installed: npx pnpm@10 install --dir runtime-tests/vendors/cloudflare";
}
