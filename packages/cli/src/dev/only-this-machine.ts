/**
 * Answers only programs on this machine and the server's own pages. Pages of other sites are refused, whatever name they use for
 * the server.
 */

interface Answering {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Names of this machine. If another site's domain points to this machine, its pages send that domain in `Host`. */
const NAMES: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The same engine, with a root that leads to the dashboard. */
export function onlyThisMachine<TEngine extends Answering>(engine: TEngine): TEngine {
  const fetch = async (request: Request): Promise<Response> => {
    if (!isOfThisMachine(request)) return new Response("For this machine only.\n", { status: 403 });
    if (new URL(request.url).pathname !== "/") return engine.fetch(request);
    return new Response(null, { status: 302, headers: { location: "/dashboard" } });
  };
  return new Proxy(engine, {
    get: (target, name) =>
      name === "fetch" ? fetch : (Reflect.get(target, name, target) as unknown),
  });
}

/** The page's origin must be this server: another port on this machine is another program. */
function isOfThisMachine({ headers }: Request): boolean {
  const host = headers.get("host")?.toLowerCase() ?? "";
  const origin = headers.get("origin");
  if (!NAMES.has(host.replace(/:\d+$/, ""))) return false;
  return origin === null || origin === `http://${host}`;
}
