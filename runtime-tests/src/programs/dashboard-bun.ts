/** Runs in Bun: the dashboard behind the Bun adapter's server. */
import { serve } from "@escapement/bun";
import { openDashboard } from "./dashboard-scene.ts";

const server = serve({ engine: await openDashboard(), port: 0, hostname: "127.0.0.1" });
console.log(`listening ${server.url}`);
