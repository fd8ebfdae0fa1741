/** Answers programs of this machine and pages of its own, and nobody else: no other site's page, under whatever name it calls the server. */

interface Answering {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Names of this machine. A page elsewhere whose name leads here has that name in its `Host`. */
const NAMES: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The same engine; its root leads to the dashboard. */
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

/** The origin of a page must be the very server: another port of this machine is another program. */
function isOfThisMachine({ headers }: Request): boolean {
  const host = headers.get("host")?.toLowerCase() ?? "";
  const origin = headers.get("origin");
  if (!NAMES.has(host.replace(/:\d+$/, ""))) return false;
  return origin === null || origin === `http://${host}`;
}
