/** The application of `testing-app.ts` on its own file, served as the Node adapter serves it, for commands in their own process. */
import { join } from "node:path";
import { serve } from "@escapement/node";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll } from "vitest";
import { type Ended, runCommand } from "./testing-command.ts";

export const directory: ReturnType<typeof temporaryDirectory> = temporaryDirectory();
process.env["TESTING_DATABASE"] = join(directory.path, "data.db");
export const { engine, HOSTILE, outages, platform, TOKEN } = await import("./testing-app.ts");

/** The variables that the command reads: the server's URL, once it listens, and the token. */
export const environment: Record<string, string> = { ESCAPEMENT_TOKEN: TOKEN };

/** Serves the application while the tests of a file run. */
export function serveTestingApp(): void {
  let loop: ReturnType<typeof platform.start>;
  beforeAll(async () => {
    const server = await serve({ engine, port: 0 });
    loop = platform.start({ server });
    environment["ESCAPEMENT_URL"] = `${server.url}/api/workflows`;
  });
  afterAll(async () => {
    await loop.stop();
    directory.remove();
  });
}

/** Runs the command against the server. */
export const escapement = (...args: readonly string[]): Promise<Ended> =>
  runCommand(args, environment);
