/** Cloudflare's runtime, by its own binary: no host process stands between it and the SIGKILL. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort, spawnServer } from "@escapement-internal/test-servers";
import { missingWorkerd } from "@escapement-internal/runtime-tests/tools";
import type { RunnerSettings } from "../runner-settings.ts";
import { type Hop, type HopStart, type RunningHop, tickByRoute } from "./hop.ts";
import { bundleRunner } from "./runners.ts";
import { findWorkerd } from "./tools.ts";

export const workerd: Hop = {
  name: "workerd",
  missing: missingWorkerd,
  needsHttpDatabase: true,
  start: startWorkerd,
};

async function startWorkerd({ settings, folder }: HopStart): Promise<RunningHop> {
  await bundleRunner({ runner: "workerd", outfile: join(folder, "worker.mjs"), format: "esm" });
  const address = `127.0.0.1:${await findFreePort()}`;
  const { binary, version } = findWorkerd();
  const runtime = `workerd ${version}`;
  writeFileSync(join(folder, "config.capnp"), toConfig(address, { ...settings, runtime }));
  const server = await spawnServer({
    command: binary,
    args: ["serve", "config.capnp"],
    cwd: folder,
    ready: () =>
      fetch(`http://${address}/`).then(
        () => true,
        () => false,
      ),
  });
  return {
    pid: server.pid,
    tick: () => tickByRoute(`http://${address}`, settings),
    kill: () => server.stop(),
  };
}

/** @source https://github.com/cloudflare/workerd, src/workerd/server/workerd.capnp, read 2026-11 */
const toConfig = (address: string, settings: RunnerSettings): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "relay", worker = .relay),
    # The ledger and the databases are on this machine, where Workers may otherwise not go.
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "${address}", http = (), service = "relay")],
);
const relay :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-04-01",
  bindings = [
    (name = "SETTINGS", json = ${JSON.stringify(JSON.stringify(settings))}),
    (name = "RELAY", durableObjectNamespace = "Relay"),
  ],
  durableObjectNamespaces = [(className = "Relay", uniqueKey = "relay", enableSql = true)],
  durableObjectStorage = (inMemory = void),
);
`;
