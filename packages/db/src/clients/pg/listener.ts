/** Listens on a channel by a connection of its own, which is opened anew whenever it is lost. */
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Client, type Pool } from "pg";
import type { Listening } from "../../batch.ts";
import { DatabaseError } from "../../errors.ts";

/** What listening needs of the client around it. */
export interface ListenerOptions extends Listening {
  /** Whose connections are of the kind that is wanted; none of them is taken. */
  readonly pool: Pool;
  /** Notifies the channel from another connection. */
  readonly notify: (channel: string) => Promise<unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How long an answer, or the notification of a connection's own test, may take. */
const ANSWER_MS = 5000;

/** How often the connection is used, so that nobody between takes it for idle, and its loss is found out. */
const KEEP_ALIVE_MS = 30_000;

/** Longest time between two tries. */
const LONGEST_PAUSE_MS = 5000;

/** Listens until it is ended, or a pooler turns out to keep notifications away. Never rejects. */
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
    // Many processes lose their connections at one moment.
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 50 * 2 ** failures) * (0.5 + Math.random() / 2);
    await delay(pauseMs, signal).catch(() => undefined);
  }
}

const NOT_HEARD =
  "notifications do not come through: a pooler gives the connection to others between transactions";

/** One connection, to its end. @returns false: notifications do not come through. @throws what ended it */
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
  // A test of the way, which also tells of what came due before anybody listened.
  await notify(name);
  if ((await Promise.race([heard, delay(ANSWER_MS, signal)])) !== true) {
    // The server's connection, which is others' now, is not to go on listening.
    await client.query(`unlisten "${name}"`);
    return false;
  }
  onListening();
  for (;;) {
    await delay(KEEP_ALIVE_MS, signal);
    await client.query("select 1");
  }
}

/** As the pool makes its own. */
function createClient({ options }: Pool): Client {
  return new Client({
    ...options,
    // Not among the members that spreading takes.
    password: options.password,
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
}

/** @throws what ended the connection, or that it is to end */
const whenOver = (client: Client, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const ended = new DatabaseError("DATABASE_UNAVAILABLE", "the listening connection has ended");
    client.on("error", reject);
    client.on("end", () => reject(ended));
    signal.addEventListener("abort", () => reject(ended));
  });

/** A connection that is lost would never say goodbye. */
function close(client: Client): void {
  client.on("error", () => undefined);
  const { stream } = client.connection as unknown as { readonly stream: Socket };
  stream.unref();
  const destroy = (): void => void stream.destroy();
  void Promise.race([client.end(), delay(1000)]).then(destroy, destroy);
}

/** Nothing keeps a process alive for the sake of a hint. @throws when it is ended */
const delay = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) });
