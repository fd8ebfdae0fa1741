/** Drivers of databases. They are optional: found next to this program, or in the project where it runs. */
import type * as escapementLibsql from "@escapement/db/libsql";
import type * as escapementPg from "@escapement/db/pg";
import type * as libsqlClient from "@libsql/client/web";
import type Libsql from "libsql";
import type * as pg from "pg";
import { RefusedError } from "../errors.ts";
import { importFile, resolveInProject } from "../project.ts";

/** Modules that need a driver. */
interface Modules {
  "@escapement/db/pg": typeof escapementPg;
  "@escapement/db/libsql": typeof escapementLibsql;
  "@libsql/client/web": typeof libsqlClient;
  pg: typeof pg;
  // A CommonJS module: imported, it is its own default export.
  libsql: { readonly default: typeof Libsql };
}

const LOADERS: { readonly [Name in keyof Modules]: () => Promise<Modules[Name]> } = {
  "@escapement/db/pg": () => import("@escapement/db/pg"),
  "@escapement/db/libsql": () => import("@escapement/db/libsql"),
  "@libsql/client/web": () => import("@libsql/client/web"),
  pg: () => import("pg"),
  libsql: () => import("libsql"),
};

/**
 * Imports a module that needs a driver.
 *
 * @param driver the package to install if it is missing
 * @throws {RefusedError} DRIVER_MISSING; whatever the module throws
 */
export async function importDriver<Name extends keyof Modules>(
  name: Name,
  driver: string,
): Promise<Modules[Name]> {
  const found = await findDriver(name);
  if (found !== null) return found;
  throw new RefusedError(
    "DRIVER_MISSING",
    `this database needs the package ${driver}: install it where you run the command (npm install --save-dev ${driver})`,
  );
}

/** null: the driver is installed in neither place. */
export async function findDriver<Name extends keyof Modules>(
  name: Name,
): Promise<Modules[Name] | null> {
  const own = await unlessMissing(LOADERS[name]());
  if (own !== null) return own;
  const path = resolveInProject(name);
  return path === null ? null : unlessMissing(importFile(path) as Promise<Modules[Name]>);
}

async function unlessMissing<T>(loading: Promise<T>): Promise<T | null> {
  try {
    return await loading;
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

const MISSING: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);
