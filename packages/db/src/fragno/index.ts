/** @module Fragno on the Batch port: a database adapter of one round trip per phase, and its hooks off the request path. */
export {
  type AdapterQuery,
  createFragnoAdapter,
  type FragnoAdapter,
  type FragnoAdapterOptions,
  type UnitOfWorkOptions,
} from "./adapter.ts";
export {
  collectMutations,
  type CollectedMutations,
  type CollectOptions,
  type MutationContext,
  type PreparedTransaction,
  prepareTransaction,
  type Refusal,
  type TransactionBuilder,
} from "./collect-mutations.ts";
export { DbNow, dbNow } from "./db-now.ts";
export { FragnoAdapterError, type FragnoAdapterErrorCode } from "./errors.ts";
export { FragnoVersionError, requireFragnoSchema } from "./library-version.ts";
export { createJitteredRetryPolicy, type JitteredRetryOptions } from "./retry-policy.ts";
export { installRuntimeShims } from "./runtime-shims.ts";
export { extendSchema, type RefusedRow, type SchemaExtras } from "./schema-extras.ts";
export { createStockDatabase } from "./stock-database.ts";
export { SqlExpression, sqlExpression } from "./sql-expression.ts";
export { hookSignal } from "./hooks/hook-run.ts";
export {
  createDurableHooksProcessor,
  type DatabaseFragment,
  type DurableHooksOptions,
  type DurableHooksProcessor,
  type ProcessOptions,
  type ProcessResult,
} from "./hooks/processor.ts";
