/** An HTTP proxy in front of a libSQL server that counts requests and cuts connections. */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpProxy {
  readonly url: string;
  /** Requests since the last `reset`, with method and path. */
  stats(): { readonly requests: number; readonly paths: readonly string[] };
  reset(): void;
  /** Closes every connection at once. */
  killConnections(): void;
  /** While true, requests are taken but never answered. */
  setSilent(silent: boolean): void;
  stop(): Promise<void>;
}

export interface HttpProxyOptions {
  /** Milliseconds by which every answer comes later. @default 0 */
  readonly delayMs?: number;
}

/** Starts the proxy on a free port of 127.0.0.1, in this process. */
export async function startHttpProxy(
  url: string,
  options: HttpProxyOptions = {},
): Promise<HttpProxy> {
  const target = new URL(url);
  let paths: string[] = [];
  let silent = false;
  const server = createServer((incoming, outgoing) => {
    paths.push(`${incoming.method ?? ""} ${incoming.url ?? ""}`);
    if (!silent) forward(target, incoming, outgoing, options.delayMs ?? 0);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stats: () => ({ requests: paths.length, paths }),
    reset: () => void (paths = []),
    killConnections: () => server.closeAllConnections(),
    setSilent: (value) => void (silent = value),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function forward(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  delayMs: number,
): void {
  const upstream = request(
    {
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
    },
    (answer) => {
      const deliver = (): void => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      };
      if (delayMs === 0) deliver();
      else setTimeout(deliver, delayMs);
    },
  );
  upstream.on("error", () => outgoing.destroy());
  incoming.pipe(upstream);
}
