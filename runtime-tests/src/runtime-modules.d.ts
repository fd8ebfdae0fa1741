/** Types only: the little that the programs use of modules that exist in one runtime each. */

declare module "node:sqlite" {
  import type { NodeSqliteConnection } from "@escapement/db/node-sqlite";
  interface Connection extends NodeSqliteConnection {
    prepare(text: string): {
      all(...values: readonly unknown[]): unknown[];
      run(...values: readonly unknown[]): unknown;
    };
  }
  export const DatabaseSync: new (path: string) => Connection;
}

declare module "bun:sqlite" {
  import type { BunSqliteConnection } from "@escapement/db/bun-sqlite";
  export const Database: new (path: string) => BunSqliteConnection;
}

declare module "bun" {
  import type { BunSql } from "@escapement/db/bun-sql";
  export const SQL: new (url: string, options: { readonly max: number }) => BunSql;
}

declare module "cloudflare:workers" {
  import type { ObjectContext } from "@escapement/cloudflare";
  import type { DurableObjectSqlStorage } from "@escapement/db/durable-object";
  export class DurableObject<Env = unknown> {
    readonly ctx: ObjectContext & { readonly storage: DurableObjectSqlStorage };
    readonly env: Env;
    constructor(ctx: ObjectContext, env: Env);
  }
}
