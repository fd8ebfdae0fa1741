/** For the tests of the hook processor: letters to deliver, on a database whose clock the test moves. */
import { createFragnoAdapter } from "../adapter.ts";
import { createHooksProcessor } from "../hooks/processor.ts";
import { type MovedDatabase, query, type TestServer, withMovableClock } from "./databases.ts";
import { type Delivery, type Mail, openMail } from "./mail.ts";

type Processor = ReturnType<typeof createHooksProcessor>;

export const LEASE_MS = 60_000;

export interface PostOffice {
  readonly database: MovedDatabase;
  readonly mail: Mail;
  /** The hook's calls. */
  readonly deliveries: Delivery[];
  /** The work of the hook. */
  deliver: (delivery: Delivery) => void | Promise<void>;
  readonly processor: (options?: Parameters<typeof createHooksProcessor>[1]) => Processor;
  /** All rows of hooks, in their order. */
  readonly hooks: () => ReturnType<typeof query>;
  /** The time from the last attempt of the only hook to the next. */
  readonly delayMs: () => Promise<number>;
  /** Leaves a hook as a processor does that dies while running it. */
  readonly takeAndDie: () => Promise<unknown>;
  /** Removes all hooks, and lets the next ones do nothing. */
  readonly empty: () => Promise<void>;
}

/** The work of a hook that fails. */
export const fail = (): never => {
  throw new RangeError("post office closed");
};

export async function openPostOffice(server: TestServer): Promise<PostOffice> {
  const database = withMovableClock(server.open());
  const mail = await openMail(createFragnoAdapter({ database }), async (delivery) => {
    office.deliveries.push(delivery);
    await office.deliver(delivery);
  });
  const office: PostOffice = {
    database,
    mail,
    deliveries: [],
    deliver: () => undefined,
    processor: (options) => createHooksProcessor([mail], { leaseMs: LEASE_MS, ...options }),
    hooks: () =>
      query(
        database,
        `select "status", "attempts", "error", "_version" from "fragno_hooks" order by "_internalId"`,
      ),
    async delayMs() {
      const { toMs } = database.dialect;
      const text = `select ${toMs(`"nextRetryAt"`)} - ${toMs(`"lastAttemptAt"`)} as "ms" from "fragno_hooks"`;
      return Number((await query(database, text))[0]?.["ms"]);
    },
    takeAndDie() {
      // The clock's expression contains how far it was moved.
      const { fromMs, nowMs } = database.dialect;
      const endsAt = fromMs(`${nowMs} + ${LEASE_MS}`);
      return query(
        database,
        `update "fragno_hooks" set "status" = 'processing', "_version" = "_version" + 1, "nextRetryAt" = ${endsAt}`,
      );
    },
    async empty() {
      office.deliver = () => undefined;
      office.deliveries.length = 0;
      await query(database, `delete from "fragno_hooks"`);
    },
  };
  return office;
}
