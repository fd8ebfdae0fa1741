/** @module A database as one method, the Batch port. Clients are sub-paths, so no driver is loaded here. */
export type { Database, Row } from "./batch.ts";
