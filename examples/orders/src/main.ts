/** `npm run demo`: orders through a durable workflow whose worker is killed again and again. */
import { DemoError } from "./demo-error.ts";
import { type DemoEnd, runDemo } from "./demo.ts";
import { createDisplay } from "./display.ts";
import { look } from "./look.ts";
import { type DemoOptions, parseOptions, USAGE, UsageError } from "./options.ts";
import { isLarge, type Order } from "./order.ts";
import { readOrders } from "./orders-file.ts";
import { toTable } from "./report.ts";
import { openRunFolder, type RunFolder } from "./run-folder.ts";
import { describePlace, type StorePlace } from "./store.ts";

const MAX_PROBLEMS_SHOWN = 20;

const NEXT = `  What to try next
    npm run demo -- --look                   the dashboard of these orders, until Ctrl-C
    npm run demo -- --kills 20               more kills; after Ctrl-C it continues where it was
    npm run demo -- --postgres embedded      the same on a Postgres that it starts
    npm run relay                            one instance through every platform's runtime that is installed
    npm create escapement@latest             a project of your own
    examples/orders/src/workflow.ts          the workflow that you saw
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, process.env["INIT_CWD"] ?? process.cwd());
  if (options === null) {
    say(USAGE);
    return 0;
  }
  const orders = takeOrders(options);
  const server = await startServer(options.store);
  try {
    const place: StorePlace =
      options.store.kind === "file"
        ? { kind: "file", path: `${options.folder}/orders.db` }
        : { kind: options.store.kind, url: server?.url ?? options.store.url };
    if (options.isLook) return await lookAt(place);
    const folder = openRunFolder({
      path: options.folder,
      orders,
      place: server === null ? describePlace(place) : `a ${place.kind} server of its own`,
      // What such a server held went away with it.
      isFresh: options.isFresh || server !== null,
    });
    try {
      const code = await play({ options, orders, place, folder });
      // Somebody watches: what came out stays to be seen. A script gets its exit code at once.
      if (code === 0 && process.stdin.isTTY && process.stdout.isTTY) await lookAt(place);
      return code;
    } finally {
      folder.close();
    }
  } finally {
    await stopServer(server);
  }
}

function takeOrders({ ordersFile, orderCount }: DemoOptions): readonly Order[] {
  const orders = readOrders(ordersFile);
  if (orderCount !== null && orderCount > orders.length)
    throw new UsageError(`--orders ${orderCount}: the file has only ${orders.length}`);
  return orders.slice(0, orderCount ?? orders.length);
}

/** @returns the exit code */
async function lookAt(place: StorePlace): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  await look(place, (url) => say(`  dashboard ${url}   until Ctrl-C`), interrupt.signal);
  process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  return 0;
}

interface OwnServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server for `--postgres embedded` and `--libsql embedded`; null: none is wanted. */
async function startServer(store: DemoOptions["store"]): Promise<OwnServer | null> {
  if (store.kind === "file" || store.url !== "embedded") return null;
  say(`starting a ${store.kind} server for this demo`);
  const { startPostgres, startSqld } = await import("@escapement-internal/test-servers");
  try {
    return store.kind === "postgres" ? await startPostgres() : await startSqld();
  } catch (error) {
    throw new DemoError(`it did not start: ${error instanceof Error ? error.message : ""}`);
  }
}

/** The server does not keep this process alive, so while it ends something else has to. */
async function stopServer(server: OwnServer | null): Promise<void> {
  if (server === null) return;
  const keepAlive = setInterval(() => undefined, 1000);
  await server.stop();
  clearInterval(keepAlive);
}

interface Play {
  readonly options: DemoOptions;
  readonly orders: readonly Order[];
  readonly place: StorePlace;
  readonly folder: RunFolder;
}

async function play({ options, orders, place, folder }: Play): Promise<number> {
  introduce({ options, orders, place, folder });
  const startedAt = Date.now();
  const display = createDisplay(process.stdout, startedAt);
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const { signal } = interrupt;
  try {
    const end = await runDemo({ options, orders, place, folder, display, startedAt, signal });
    return conclude(end, folder);
  } catch (error) {
    display.end();
    if (signal.aborted) {
      say("\nStopped. Nothing is lost: the same command continues where this one stopped.");
      return 130;
    }
    if (!(error instanceof DemoError)) throw error;
    throw new DemoError(
      `${error.message}\nNothing is lost: once that is fixed, the same command continues where this one stopped.`,
    );
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function introduce({ options, orders, place, folder }: Play): void {
  const large = orders.filter(isLarge).length;
  const { killCount } = options;
  const fate =
    killCount === 0
      ? "is left alone"
      : `gets SIGKILL ${killCount === 1 ? "once" : `${killCount} times`}`;
  say(`
  ${orders.length} orders, one durable workflow each: reserve stock → approval (${large} large ones) → charge → pack → receipt
  The payment service fails, stalls and hangs up on purpose; the worker ${fate}.

  store     ${describePlace(place)}
  files     ${folder.path}`);
  if (folder.isContinued) say("  an unfinished run is in there: going on with it");
  say("");
}

function conclude({ results, problems }: DemoEnd, folder: RunFolder): number {
  say(`\n${toTable(results)}\n`);
  if (problems.length === 0) {
    folder.finish();
    say("  The ledger is right: every order has one charge of its amount and one receipt.\n");
    say(NEXT);
    return 0;
  }
  say(`  THE LEDGER IS WRONG (${problems.length}):`);
  for (const problem of problems.slice(0, MAX_PROBLEMS_SHOWN)) say(`  ${problem}`);
  if (problems.length > MAX_PROBLEMS_SHOWN)
    say(`  and ${problems.length - MAX_PROBLEMS_SHOWN} more`);
  say("  Look into it before you start over with --fresh.\n");
  return 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  process.stderr.write(`\ndemo: ${error.message}\n`);
  if (error instanceof UsageError) process.stderr.write(`\n${USAGE}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
