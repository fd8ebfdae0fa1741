/** Bundles the programs that run fragments, and starts them: as `start-program.ts`, with what Fragno needs besides. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnServer, temporaryDirectory } from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { createMiniflare, findRuntime } from "./tools.ts";

const PROGRAMS = fileURLToPath(new URL("programs/", import.meta.url));

/** A shop that answers at `url`. */
export interface FragnoShop {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * One bundle for every runtime. "neutral" leaves Node's variants of the library's dependencies out, which are CommonJS;
 * splitting keeps what only migrations need, Kysely and `node:crypto`, in files of their own.
 */
async function bundle(program: string, outdir: string): Promise<string> {
  await build({
    entryPoints: [join(PROGRAMS, `${program}.ts`)],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "bun:*", "cloudflare:*"],
    logLevel: "silent",
  });
  return join(outdir, `${program}.mjs`);
}

const COMMANDS = {
  bun: { program: "fragno-bun", args: ["run"] },
  // Permissions of an application, and no more: Fragno reads one environment variable, whether it is set or not.
  deno: {
    program: "fragno-deno",
    args: ["run", "--no-config", "--allow-net=127.0.0.1", "--allow-env=FRAGNO_INIT_DRY_RUN"],
  },
} as const;

/** Starts the shop in Bun or Deno on a new SQLite file. It dies with this process. */
export async function startFragnoProcess(runtime: keyof typeof COMMANDS): Promise<FragnoShop> {
  const directory = temporaryDirectory();
  const { program, args } = COMMANDS[runtime];
  const file = await bundle(program, directory.path);
  const access =
    runtime === "deno" ? [`--allow-read=${directory.path}`, `--allow-write=${directory.path}`] : [];
  let url = "";
  const server = await spawnServer({
    command: findRuntime(runtime) ?? runtime,
    args: [...args, ...access, file, join(directory.path, "data.db")],
    cwd: directory.path,
    env: { TZ: "America/New_York" },
    ready: (output) => {
      url = /^listening (\S+)\/$/m.exec(output())?.[1] ?? "";
      return Promise.resolve(url !== "");
    },
  });
  return {
    url,
    async stop() {
      await server.stop();
      directory.remove();
    },
  };
}

/** A folder with the Worker and what its databases store. */
export interface FragnoWorker {
  start(flags: readonly string[]): Promise<FragnoShop>;
  remove(): void;
}

/** Prepares the shop for workerd. */
export async function prepareFragnoWorker(): Promise<FragnoWorker> {
  const directory = temporaryDirectory();
  const modules = join(directory.path, "modules");
  const entry = await bundle("fragno-worker", modules);
  const others = readdirSync(modules).map((name) => join(modules, name));
  const paths = [entry, ...others.filter((path) => path !== entry)];
  return {
    async start(compatibilityFlags) {
      const miniflare = createMiniflare({
        host: "127.0.0.1",
        modules: paths.map((path) => ({ type: "ESModule", path })),
        modulesRoot: modules,
        compatibilityDate: "2026-04-01",
        compatibilityFlags,
        d1Databases: ["DB"],
        d1Persist: join(directory.path, "d1"),
        durableObjects: { SHOP: { className: "Shop", useSQLite: true } },
        durableObjectsPersist: join(directory.path, "objects"),
      });
      const { href } = await miniflare.ready;
      return { url: href.replace(/\/$/u, ""), stop: () => miniflare.dispose() };
    },
    remove: () => directory.remove(),
  };
}
