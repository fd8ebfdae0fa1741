/** @module Types of what methods return, as `@escapement/engine/types` has them, for projects that install `@escapement/node` alone. TypeScript names them in the declarations of your own exports; you seldom have to. */
export type * from "@escapement/engine/types";
export type { HttpServer, RunningPlatform, ServiceOptions } from "@escapement/engine/adapter";
export type { SqlStore } from "@escapement/engine/store/sql";
