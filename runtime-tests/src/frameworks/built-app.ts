/** An application of a framework: its own few files, and those that the page shows. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort, spawnServer } from "@escapement-internal/test-servers";
import { onTestFailed } from "vitest";
import type { PackageRegistry } from "../pages/packages.ts";
import type { RunningApp } from "../pages/play-order.ts";
import { type PageFile, readPage, writeFiles } from "../pages/read-page.ts";
import { findRuntime } from "../tools.ts";
import { type Framework, ROOT } from "./framework.ts";

const run = promisify(execFile);
const PAGE = readPage("docs/guides/frameworks.md");
const SETTINGS = { NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" };

/** A folder whose projects have the packages of this repository. */
export interface Workspace {
  readonly folder: string;
  remove(): void;
}

/** Installs the packages of this repository beside the frameworks. */
export async function makeWorkspace(registry: PackageRegistry): Promise<Workspace> {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache/apps-"));
  writeFileSync(join(folder, ".npmrc"), registry.npmrc);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const packages = ["@escapement/engine", "@escapement/node", "pg", "valibot"];
  await run("npm", ["install", "--prefer-offline", "--no-audit", ...packages], { cwd: folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Builds the application, without the variables that it is served with. @returns starts it, each time that it is called */
export async function buildApp(
  { heading, engineIn, build, serve, startsLate = false }: Framework,
  { folder: parent }: Workspace,
  env: Readonly<Record<string, string>>,
): Promise<() => Promise<RunningApp>> {
  const name = heading.toLowerCase().replace(".js", "").replace(" ", "-");
  const folder = join(parent, name);
  cpSync(join(ROOT, "apps", name), folder, { recursive: true });
  // React Router looks for it there, and would install it.
  const manifest = { name: "shop", type: "module", dependencies: { isbot: "5" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeEngine(join(folder, engineIn), startsLate);
  writeFiles(folder, PAGE.files.filter((file) => file.heading === heading).map(withoutPolling));
  const node = findRuntime("node24") ?? process.execPath;
  await run(node, build, { cwd: folder, env: { ...process.env, ...SETTINGS } });
  return () => start({ node, args: serve, folder, env });
}

/** What a create makes due is begun by the process that took it, and not found by a look that comes by. */
const withoutPolling = ({ path, text }: PageFile): PageFile => ({
  path,
  text: text.replace("createNodePlatform()", "createNodePlatform({ pollMs: 600_000 })"),
});

/** The page's engine, with the workflow of the deploy pages. */
function writeEngine(folder: string, startsLate: boolean): void {
  const engine = PAGE.files.find(({ path }) => path === "engine.ts")?.text ?? "";
  const order = readPage("docs/deploy/node.md").files.find(
    ({ path }) => path === "src/workflow.ts",
  );
  writeFiles(folder, [
    withoutPolling({
      path: "engine.ts",
      text: startsLate ? `${engine}\nplatform.start();\n` : engine,
    }),
    { path: "order.ts", text: order?.text ?? "" },
    {
      path: "workflow.ts",
      text: `import { defineOrder } from "./order.ts";\nexport const ORDER = defineOrder(process.env["SHOP_URL"]);\n`,
    },
  ]);
}

interface Served {
  readonly node: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

async function start({ node, args, folder, env }: Served): Promise<RunningApp> {
  const port = await findFreePort();
  const api = `http://127.0.0.1:${port}/api/workflows`;
  let readOutput = (): string => "";
  const server = await spawnServer({
    command: node,
    args: [...args],
    cwd: folder,
    env: { ...env, ...SETTINGS, PORT: String(port), HOST: "127.0.0.1", NODE_ENV: "production" },
    readyTimeoutMs: 60_000,
    ready: async (output) => {
      readOutput = output;
      const answer = await fetch(`${api}/workflows`).catch(() => null);
      return answer?.status === 401;
    },
  });
  onTestFailed(() => console.warn(readOutput()));
  return { api, kill: () => server.stop() };
}
