/** Vercel's own command line and Edge runtime, where they have been installed. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../vendors/vercel/node_modules/", import.meta.url));

/** The command line's program. */
export const VERCEL_CLI = `${MODULES}vercel/dist/vc.js`;

/** Why a test that needs Vercel's tools is skipped; null when they are there. */
export function missingVercel(): string | null {
  const isThere = [VERCEL_CLI, `${MODULES}edge-runtime`].every(existsSync);
  return isThere
    ? null
    : "vercel is not installed: npx pnpm@10 install --dir runtime-tests/vendors/vercel";
}

/** Neither an account nor a question nor a message home. */
export const VERCEL_ENV: Readonly<Record<string, string>> = {
  CI: "1",
  VERCEL_TELEMETRY_DISABLED: "1",
  // The packages are there already, see `writeVercelProject`.
  VERCEL_INSTALL_COMPLETED: "1",
};

/** A server in front of an isolate. */
export interface EdgeServer {
  readonly url: string;
  close(): Promise<void>;
}

interface EdgeModule {
  readonly EdgeRuntime: new (options: {
    readonly initialCode: string;
    readonly extend: (globals: Globals) => Globals;
  }) => object;
  readonly runServer: (options: {
    readonly runtime: object;
    readonly host: string;
    readonly port: number;
  }) => Promise<EdgeServer>;
}

type Globals = Record<PropertyKey, unknown>;

/** Serves a script in an isolate of Vercel's Edge runtime. @param globals what it has beside the runtime's own */
export function serveEdge(
  initialCode: string,
  globals: Globals,
  port: number,
): Promise<EdgeServer> {
  const { EdgeRuntime, runServer } = createRequire(MODULES)("edge-runtime") as EdgeModule;
  const runtime = new EdgeRuntime({ initialCode, extend: (own) => Object.assign(own, globals) });
  return runServer({ runtime, host: "127.0.0.1", port });
}
