/** Runs in Bun: the strangers' engine behind the Bun adapter's server. */
import { serve } from "@escapement/bun";
import { openStrangerEngine } from "./stranger-scene.ts";

const server = serve({ engine: openStrangerEngine(), port: 0, hostname: "127.0.0.1" });
console.log(`listening ${server.url}`);
