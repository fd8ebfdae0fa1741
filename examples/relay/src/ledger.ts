/** What the relay believes: each body that runs says so here, whatever the histories say. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RanBody } from "./runner-settings.ts";

export interface Ledger {
  readonly url: string;
  /** In the order in which they began. */
  readonly bodies: readonly RanBody[];
  close(): void;
}

export async function startLedger(): Promise<Ledger> {
  const bodies: RanBody[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      bodies.push(JSON.parse(text) as RanBody);
      response.end("noted");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    bodies,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
