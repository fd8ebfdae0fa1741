/** An instance of Deno Deploy, as far as it can be had here: its ticks come over HTTP, and its minute cron is registered. */
import { createDenoPlatform, type DenoRuntime, handler } from "@escapement/deno";
import { createApplication, job } from "./application.ts";
import { CLOUD_BEARER } from "./cloud-job.ts";
import { openPg } from "./open-pg.ts";

interface Server {
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoRuntime & Server };
const platform = createDenoPlatform();
const { engine, close } = await createApplication({ openPostgres: openPg, platform });
platform.start({
  graceMs: 4000,
  handleSignals: true,
  onStop: async () => {
    await close();
    console.log("drained");
  },
});
Deno.serve(
  { port: job.port, hostname: "127.0.0.1", onListen: () => console.log("ready") },
  handler(engine, { platform, tick: { bearerSecret: CLOUD_BEARER } }),
);
