/**
 * Runs a command of the repository on a machine that has only Node and npm: installs what is missing first.
 *
 *   node scripts/bootstrap.mjs <command> [arguments]
 *
 * Plain JavaScript without dependencies, because it runs before anything is installed.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PNPM = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).packageManager;
const STAMP = join(ROOT, "node_modules", ".escapement-installed");
const LOCKFILES = ["pnpm-lock.yaml", "pnpm-workspace.yaml"];
const NODE_FLOOR = [20, 19];

/** What each command runs, after installing, and what is said before. `entry` is TypeScript run by tsx, `module` is JavaScript. */
const COMMANDS = {
  // `npm run check` goes on itself.
  install: {},
  test: { says: "running the tests", module: "node_modules/vitest/vitest.mjs", first: ["run"] },
  demo: { says: "starting the demo", entry: "examples/orders/src/main.ts" },
  relay: { says: "starting the relay", entry: "examples/relay/src/main.ts" },
  // Says nothing of its own: somebody types many of them.
  escapement: { entry: "packages/cli/src/main.ts" },
  example: { says: "running an example", entry: "scripts/example.ts" },
  bench: { says: "starting the benchmarks", entry: "benchmarks/src/main.ts" },
  chaos: { says: "starting the chaos", entry: "chaos/src/main.ts" },
  recovery: { says: "measuring recovery", entry: "chaos/src/recovery/main.ts" },
  simulate: { says: "playing simulations", entry: "simulation/src/main.ts" },
  site: { says: "writing the site's pages", entry: "site/src/main.ts" },
  mutants: { says: "planting bugs", entry: "scripts/mutants/main.ts" },
  conformance: { says: "reading the acceptance rows", entry: "scripts/conformance/main.ts" },
};

/** Progress goes to standard error, so that a command's JSON on standard output stays alone. */
function say(text) {
  process.stderr.write(`escapement: ${text}\n`);
}

function hashLockfiles() {
  const hash = createHash("sha256");
  for (const name of LOCKFILES) hash.update(readFileSync(join(ROOT, name)));
  return hash.digest("hex");
}

function isInstalled() {
  if (!existsSync(join(ROOT, "node_modules", ".modules.yaml"))) return false;
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === hashLockfiles()) return true;
  // Installed by hand with pnpm, which keeps a copy of the lockfile that it installed.
  const copy = join(ROOT, "node_modules", ".pnpm", "lock.yaml");
  const lockfile = readFileSync(join(ROOT, "pnpm-lock.yaml"), "utf8");
  return existsSync(copy) && readFileSync(copy, "utf8") === lockfile;
}

/** Resolves with the exit code; a child ended by a signal gives 128 + its number, as shells do. */
function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", ...options });
    // A terminal sends SIGINT to the child itself; this process only waits for it to end.
    const wait = () => {};
    const forward = (signal) => child.kill(signal);
    process.on("SIGINT", wait);
    process.on("SIGTERM", forward);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      process.off("SIGINT", wait);
      process.off("SIGTERM", forward);
      resolve(signal === null ? code : 128 + constants.signals[signal]);
    });
  });
}

async function install() {
  if (isInstalled()) return 0;
  say(`installing dependencies with ${PNPM} (once; needs the network)`);
  const isWindows = process.platform === "win32";
  const args = ["-y", PNPM, "install", "--frozen-lockfile", "--prefer-offline"];
  const options = {
    shell: isWindows,
    stdio: ["ignore", process.stderr, process.stderr],
    // Without this pnpm asks before it replaces a half-installed node_modules, and there may be nobody to answer.
    env: { ...process.env, CI: process.env.CI ?? "1" },
  };
  const code = await run(isWindows ? "npx.cmd" : "npx", args, options);
  if (code === 0) writeFileSync(STAMP, hashLockfiles());
  else say("installing failed (see above). Is the network there? Run the same command again.");
  return code;
}

async function main() {
  const [name = "", ...args] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    say(`unknown command "${name}"; there are: ${Object.keys(COMMANDS).join(", ")}`);
    return 2;
  }
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor < NODE_FLOOR[1])) {
    say(`Node ${NODE_FLOOR.join(".")} or newer is needed; this is ${process.versions.node}`);
    return 2;
  }
  const installed = await install();
  if (installed !== 0) return installed;
  if (command.says !== undefined) say(command.says);
  if (command.module !== undefined) {
    return await run(process.execPath, [join(ROOT, command.module), ...command.first, ...args]);
  }
  if (command.entry === undefined) return 0;
  if (!existsSync(join(ROOT, command.entry))) {
    say(`${command.entry} is missing`);
    return 2;
  }
  return await run(process.execPath, ["--import", "tsx", join(ROOT, command.entry), ...args]);
}

process.exitCode = await main();
