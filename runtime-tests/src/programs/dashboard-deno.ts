/** Runs in Deno: the dashboard behind the Deno adapter's handler. */
import { createDenoPlatform, handler } from "@escapement/deno";
import { openDashboard } from "./dashboard-scene.ts";
import { serveInDeno } from "./serve-in-deno.ts";

serveInDeno(handler(await openDashboard(), { platform: createDenoPlatform() }));
