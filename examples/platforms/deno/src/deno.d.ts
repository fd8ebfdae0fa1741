/** Types only, for this repository's compiler: the little that the programs use of Deno. Deno itself knows all of it. */
declare namespace Deno {
  const env: { get(name: string): string | undefined };
  function serve(handle: (request: Request) => Promise<Response>): unknown;
}
