/** Runs in Deno: the strangers' engine behind the Deno adapter's handler. */
import { createDenoPlatform, handler } from "@escapement/deno";
import { serveInDeno } from "./serve-in-deno.ts";
import { openStrangerEngine } from "./stranger-scene.ts";

serveInDeno(handler(openStrangerEngine(), { platform: createDenoPlatform() }));
