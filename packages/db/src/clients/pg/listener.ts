/** Listens on a channel with its own connection, which is opened again whenever it is lost. */
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Client, type Pool } from "pg";
import type { Listening } from "../../batch.ts";
import { DatabaseError } from "../../errors.ts";

/** The parts of the client that listening needs. */
export interface ListenerOptions extends Listening {
  /** The pool whose options its connection uses; it takes no connection from it. */
  readonly pool: Pool;
  /** Notifies the channel from another connection. */
  readonly notify: (channel: string) => Promise<unknown>;
  /** Ends the listening. */
  readonly signal: AbortSignal;
}

/** How long an answer, or the notification that tests a connection, may take. */
const ANSWER_MS = 5000;

/** How often the connection is used, so that it does not look idle to anything in between, and its loss is noticed. */
const KEEP_ALIVE_MS = 30_000;

/** The longest time between two tries. */
const LONGEST_PAUSE_MS = 5000;

/** Listens until it is ended, or a pooler turns out to keep notifications back. Never rejects. */
export async function listen(options: ListenerOptions): Promise<void> {
  const { signal, onTrouble } = options;
  let failures = 0;
  const onListening = (): void => {
    failures = 0;
  };
  while (!signal.aborted) {
    try {
      if (!(await listenOnce(options, onListening))) {
        onTrouble(new DatabaseError("DATABASE_REJECTED", NOT_HEARD), true);
        return;
      }
    } catch (error) {
      if (signal.aborted) return;
      onTrouble(error, false);
      failures += 1;
    }
    // With randomness, because many processes lose their connections at the same moment.
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 50 * 2 ** failures) * (0.5 + Math.random() / 2);
    await delay(pauseMs, signal).catch(() => undefined);
  }
}

const NOT_HEARD =
  "notifications do not arrive: a pooler shares the connection with others between transactions";

/** Uses one connection until it ends. @returns false: notifications do not arrive. @throws the error that ended it */
async function listenOnce(options: ListenerOptions, onListening: () => void): Promise<boolean> {
  const { pool, signal } = options;
  const over = new AbortController();
  const end = (): void => over.abort();
  signal.addEventListener("abort", end, { signal: over.signal });
  const client = createClient(pool);
  try {
    return await Promise.race([
      whenOver(client, over.signal),
      useConnection(client, { ...options, signal: over.signal }, onListening),
    ]);
  } finally {
    over.abort();
    close(client);
  }
}

async function useConnection(
  client: Client,
  { channel, notify, signal, onHint }: ListenerOptions,
  onListening: () => void,
): Promise<boolean> {
  const heard = new Promise<true>((resolve) => {
    client.on("notification", () => {
      resolve(true);
      onHint();
    });
  });
  const name = await channel();
  await client.connect();
  await client.query(`listen "${name}"`);
  // A test of the channel, which also reports what became due before listening began.
  await notify(name);
  if ((await Promise.race([heard, delay(ANSWER_MS, signal)])) !== true) {
    // The server's connection now belongs to others and must not keep listening.
    await client.query(`unlisten "${name}"`);
    return false;
  }
  onListening();
  for (;;) {
    await delay(KEEP_ALIVE_MS, signal);
    await client.query("select 1");
  }
}

/** With the same options as the pool's own connections. */
function createClient({ options }: Pool): Client {
  return new Client({
    ...options,
    // Not copied by the spread.
    password: options.password,
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
}

/** @throws the error that ended the connection, or that it is to end */
const whenOver = (client: Client, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const ended = new DatabaseError("DATABASE_UNAVAILABLE", "the listening connection has ended");
    client.on("error", reject);
    client.on("end", () => reject(ended));
    signal.addEventListener("abort", () => reject(ended));
  });

/** A lost connection could not be closed properly. */
function close(client: Client): void {
  client.on("error", () => undefined);
  const { stream } = client.connection as unknown as { readonly stream: Socket };
  stream.unref();
  const destroy = (): void => void stream.destroy();
  void Promise.race([client.end(), delay(1000)]).then(destroy, destroy);
}

/** Does not keep the process alive. @throws when listening is ended */
const delay = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) });
