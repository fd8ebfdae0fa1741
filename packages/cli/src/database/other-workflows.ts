/** @module Workflows that a database has instances of, and a module of code does not export. Loaded by `replay`. */
import type { Engine } from "@escapement/engine";
import { readKnownNames } from "./known-names.ts";
import { openDatabase, type OpenOptions } from "./open-database.ts";
import { openEngine } from "./open-engine.ts";

interface Wanted {
  readonly exported: ReadonlySet<string>;
  /** Only those with an instance in one of these; undefined: in any. */
  readonly status: NonNullable<Parameters<Engine["findInstances"]>[0]>["status"];
}

/** @returns names @throws {RefusedError} STORE_UNAVAILABLE */
export async function findOtherWorkflows(
  db: string,
  options: OpenOptions,
  { exported, status }: Wanted,
): Promise<readonly string[]> {
  const names = (await readNames(db, options)).filter((name) => !exported.has(name));
  if (status === undefined || names.length === 0) return names;
  const engine = await openEngine(db, options);
  try {
    const found: string[] = [];
    for (const name of names) {
      const page = await engine.findInstances({ workflows: [name], status, pageSize: 1 });
      if (page.instances.length > 0) found.push(name);
    }
    return found;
  } finally {
    await engine.close();
  }
}

async function readNames(db: string, options: OpenOptions): Promise<readonly string[]> {
  const database = await openDatabase(db, options);
  try {
    return (await readKnownNames(database)).workflows;
  } finally {
    await database.close().catch(() => undefined);
  }
}
