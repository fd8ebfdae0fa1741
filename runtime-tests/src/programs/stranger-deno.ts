/** Runs in Deno: the strangers' engine behind the Deno adapter's handler. */
import { createDenoPlatform, handler } from "@escapement/deno";
import { openStrangerEngine } from "./stranger-scene.ts";

interface Server {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      readonly onListen: (address: { readonly port: number }) => void;
    },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
}

const { Deno } = globalThis as unknown as { readonly Deno: Server };
const engine = openStrangerEngine();
Deno.serve(
  {
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(`listening http://127.0.0.1:${port}`),
  },
  handler(engine, { platform: createDenoPlatform() }),
);
