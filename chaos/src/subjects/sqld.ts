/** A libSQL server of our own behind a proxy. */
import { startHttpProxy } from "@escapement-internal/test-servers";
import { startPatientSqld } from "../../../proofs/src/subjects/test-database.ts";
import type { Subject } from "./subject.ts";

export async function openSqldSubject(): Promise<Subject> {
  const server = await startPatientSqld();
  const proxy = await startHttpProxy(server.url);
  return {
    name: "sqld",
    url: proxy.url,
    directUrl: server.url,
    faults: {
      cut: () => proxy.killConnections(),
      mute: (isMute) => proxy.setSilent(isMute),
      deliver: (deliver) => proxy.setDelivery(deliver),
      restart: () => server.restart(),
      halt: () => server.halt(),
      stall: (isStalled) => void process.kill(server.pid, isStalled ? "SIGSTOP" : "SIGCONT"),
    },
    async remove() {
      await proxy.stop();
      await server.stop();
    },
  };
}
