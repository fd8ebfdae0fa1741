/** The shop that the orders of the deploy pages call: counts what it is asked, and can keep a caller waiting. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Shop {
  readonly url: string;
  /** Idempotency keys of all calls of a step, answered or not. */
  keys(what: string): readonly string[];
  /** How many of them were answered. */
  answers(what: string): number;
  /** Answers no call of a step until it is told to go on. */
  hold(what: string): void;
  release(): void;
  stop(): void;
}

interface Call {
  readonly what: string;
  readonly key: string;
  isAnswered: boolean;
}

export async function startShop(): Promise<Shop> {
  const calls: Call[] = [];
  let held: string | null = null;
  const server = createServer((request, response) => {
    const [, what = "", item = ""] = (request.url ?? "").split("/");
    const call = { what, key: String(request.headers["idempotency-key"]), isAnswered: false };
    calls.push(call);
    request.resume();
    // Who is killed while it waits never hears.
    if (what !== held) answer(call, item, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const of = (what: string): readonly Call[] => calls.filter((call) => call.what === what);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: (what) => of(what).map(({ key }) => key),
    answers: (what) => of(what).filter(({ isAnswered }) => isAnswered).length,
    hold: (what) => {
      held = what;
    },
    release: () => {
      held = null;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(call: Call, item: string, response: ServerResponse): void {
  call.isAnswered = true;
  response.end(`${call.what}-${item}`);
}
