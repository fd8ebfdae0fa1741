/** @module Real servers for tests, the demo and the benchmarks. Node only; everything listens on 127.0.0.1. */
export { clockEnvironment } from "./clock-environment.ts";
export { startDataApi, type DataApiServer } from "./data-api.ts";
export { findFreePort } from "./free-port.ts";
export type { Deliver, Delivery } from "./delivery.ts";
export { startHttpProxy, type HttpProxy, type HttpProxyOptions } from "./http-proxy.ts";
export { madeOnce } from "./made-once.ts";
export { neonEndpoint, startNeonProxy, type NeonProxy } from "./neon-proxy.ts";
export {
  pgBouncerAvailable,
  startPgBouncer,
  type PgBouncer,
  type PgBouncerOptions,
} from "./pgbouncer.ts";
export { createPostgresDatabase, dropDatabase, type TestDatabase } from "./postgres-database.ts";
export type { SilenceMoment } from "./postgres-link.ts";
export {
  startPostgresProxy,
  type PostgresProxy,
  type PostgresProxyOptions,
  type PostgresWireStats,
} from "./postgres-proxy.ts";
export { postgresAvailable, type PostgresVersion } from "./postgres-binaries.ts";
export { startPostgres, type PostgresServer, type StartPostgresOptions } from "./postgres.ts";
export { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
export { type RunningServer, type ServerCommand, spawnServer } from "./spawn-server.ts";
export { sqldAvailable, startSqld, type SqldServer, type StartSqldOptions } from "./sqld.ts";
export { ofToday, today } from "./of-today.ts";
export { temporaryDirectory, type TemporaryDirectory } from "./temporary-directory.ts";
