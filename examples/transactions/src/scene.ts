/** What the tests share: every client of a database, and an engine beside it. */
import { createEngine, type Engine } from "@escapement/engine";
import { expect } from "vitest";
import { type Client, type Inside, openPostgres, openSqlite, type Place } from "./place.ts";
import { openDrizzle, openKysely, openPg, openPrismaClient } from "./postgres-clients.ts";
import { openConnection, openDrizzleOnSqlite, openKyselyOnSqlite } from "./sqlite-clients.ts";
import { order } from "./workflow.ts";

/** A client by its name, with where it is. */
export type NamedClient = readonly [string, () => Promise<Place>, (address: string) => Client];

/** Those of Postgres. */
export const POSTGRES_CLIENTS: readonly NamedClient[] = [
  ["pg", openPostgres, openPg],
  ["Drizzle on Postgres", openPostgres, openDrizzle],
  ["Kysely on Postgres", openPostgres, openKysely],
  ["Prisma on Postgres", openPostgres, openPrismaClient],
];

/** All. */
export const CLIENTS: readonly NamedClient[] = [
  ...POSTGRES_CLIENTS,
  ["better-sqlite3's shape (libsql)", openSqlite, openConnection],
  ["Drizzle on libSQL", openSqlite, openDrizzleOnSqlite],
  ["Kysely on SQLite (libsql)", openSqlite, openKyselyOnSqlite],
];

export const params = { orderId: "o-1" };
export const paid = { type: "paid", payload: "card", eventId: "payment-1" };

type Orders = Engine<{ readonly ORDER: typeof order }>;

export interface Scene extends Place {
  readonly client: Client;
  readonly engine: Orders;
  /** Runs `work` in a transaction and rolls it back. */
  rolledBack(work: (inside: Inside) => Promise<unknown>): Promise<void>;
  /** Which orders there are. */
  orders(): Promise<unknown>;
  /** How an instance stands; null: there is none. */
  status(id: string): Promise<string | null>;
}

const closings: (() => unknown)[] = [];

/** Ends what the scenes of a test have opened. */
export async function closeScenes(): Promise<void> {
  for (const close of closings.splice(0).toReversed()) await close();
}

const changedMyMind = new Error("changed my mind");

/** An engine on the place, and a client beside it. */
export async function openScene(
  open: () => Promise<Place>,
  openClient: (address: string) => Client,
): Promise<Scene> {
  const place = await open();
  closings.push(() => place.close());
  const client = openClient(place.address);
  closings.push(() => client.close());
  const engine = createEngine({ workflows: { ORDER: order }, store: place.store });
  return {
    ...place,
    client,
    engine,
    rolledBack: async (work) => {
      const rollingBack = client.transaction(async (inside) => {
        await work(inside);
        throw changedMyMind;
      });
      await expect(rollingBack).rejects.toThrow(changedMyMind.message);
    },
    orders: async () =>
      (await place.query("select id from orders order by id")).map(({ id }) => id),
    status: async (id) => {
      const found = await place.store.loadInstance("order", id);
      return found?.status ?? null;
    },
  };
}
