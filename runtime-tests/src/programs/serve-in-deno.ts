/** Serves a fetch handler by `Deno.serve`, and prints the address. */

interface DenoServe {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      readonly onListen: (address: { readonly port: number }) => void;
    },
    handle: (request: Request) => Promise<Response>,
  ): unknown;
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoServe };

/** Listens on a free port of 127.0.0.1 and prints `listening <url>`. */
export function serveInDeno(handle: (request: Request) => Promise<Response>): void {
  const onListen = ({ port }: { readonly port: number }): void =>
    console.log(`listening http://127.0.0.1:${port}/`);
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, handle);
}
