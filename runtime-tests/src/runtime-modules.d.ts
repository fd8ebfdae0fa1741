/** Types only: the little that the programs use of modules that exist in one runtime each. */

declare module "node:sqlite" {
  import type { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
  type NodeSqliteConnection = Parameters<typeof createNodeSqliteDatabase>[0];
  interface Connection extends NodeSqliteConnection {
    prepare(text: string): {
      all(...values: readonly unknown[]): unknown[];
      run(...values: readonly unknown[]): unknown;
    };
  }
  export const DatabaseSync: new (path: string) => Connection;
}

declare module "bun:sqlite" {
  import type { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
  export const Database: new (path: string) => Parameters<typeof createBunSqliteDatabase>[0];
}

declare module "bun" {
  import type { createBunSqlDatabase } from "@escapement/db/bun-sql";
  export const SQL: new (
    url: string,
    options: { readonly max: number },
  ) => Parameters<typeof createBunSqlDatabase>[0];
}

declare module "cloudflare:workers" {
  import type { ObjectContext } from "@escapement/cloudflare";
  import type { createDurableObjectDatabase } from "@escapement/db/durable-object";
  type State = ObjectContext & {
    readonly storage: Parameters<typeof createDurableObjectDatabase>[0];
  };
  export class DurableObject<Env = unknown> {
    readonly ctx: State;
    readonly env: Env;
    constructor(ctx: State, env: Env);
  }
}
