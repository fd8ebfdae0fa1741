/** @module The contract of every client of the Batch port, as a Vitest suite. */
import { afterAll, beforeAll, describe } from "vitest";
import type { Database } from "../batch.ts";
import { describeAtomicity } from "./atomicity.ts";
import { describeConcurrency } from "./concurrency.ts";
import type { ContractContext, ContractSetup, DatabaseContract } from "./contract.ts";
import { describeErrors } from "./errors.ts";
import { describeGuards } from "./guards.ts";
import { describeJsonRows } from "./json-rows.ts";
import { describeLocks } from "./locks.ts";
import { describePayloads } from "./payloads.ts";
import { describeTime } from "./time.ts";
import { describeTypes } from "./types.ts";

export type { ContractCapabilities, ContractSetup, DatabaseContract } from "./contract.ts";

/** Runs the whole contract against one client. Call it at the top level of a Vitest file. */
export function describeDatabaseContract(contract: DatabaseContract): void {
  const skip = contract.skip ?? null;
  if (skip !== null) console.warn(`SKIPPED: the database contract of ${contract.name}: ${skip}`);
  describe.skipIf(skip !== null)(`${contract.name} keeps the database contract`, () => {
    let setup: ContractSetup | null = null;
    const opened: Database[] = [];
    const database = (): Database => {
      if (setup === null)
        throw new TypeError("the contract's database exists only inside its tests");
      return setup.database;
    };
    const context: ContractContext = {
      database,
      capabilities: { concurrentWriters: contract.capabilities?.concurrentWriters ?? true },
      async open() {
        if (setup?.open === undefined) return database();
        const another = await setup.open();
        opened.push(another);
        return another;
      },
    };
    beforeAll(async () => {
      setup = await contract.setup();
    });
    afterAll(async () => {
      await Promise.all(opened.map((another) => another.close()));
      await setup?.teardown();
    });
    for (const part of PARTS) part(context);
  });
}

const PARTS: readonly ((context: ContractContext) => void)[] = [
  describeAtomicity,
  describeGuards,
  describeErrors,
  describeTime,
  describeTypes,
  describePayloads,
  describeJsonRows,
  describeConcurrency,
  describeLocks,
];
