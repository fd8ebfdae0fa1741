/** Types only, for this repository's compiler: the little that the programs use of Deno. Deno itself knows all of it. */
declare namespace Deno {
  const env: { get(name: string): string | undefined };
  type Handle = (request: Request) => Promise<Response>;
  interface ServeOptions {
    readonly port: number;
    readonly hostname: string;
    readonly onListen: (address: { readonly port: number }) => void;
  }
  function serve(handle: Handle): unknown;
  function serve(options: ServeOptions, handle: Handle): unknown;
}
