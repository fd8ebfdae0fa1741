/** The compiler for units of work: it compiles each operation in the namespace of its schema. */
import type { Dialect } from "@escapement/db/client";
import { buildCondition } from "./conditions.ts";
import { type CompiledRead, compileFind, compileRead } from "./compile-read.ts";
import { compileWrite } from "./compile-write.ts";
import { compileClaim } from "./hooks/claim.ts";
import { takeHookRows } from "./hooks/hook-run.ts";
import { type Compiler, type FindOperation, type ReadOperation, toHookScan } from "./internals.ts";
import type { Namespaces } from "./namespaces.ts";
import type { RequestStorage } from "./request-storage.ts";
import type { Scope } from "./tables.ts";

/** The inputs of compiling. */
export interface Compiling {
  readonly dialect: Dialect;
  readonly namespaces: Namespaces;
  readonly storage: Pick<RequestStorage, "current">;
}

/** For a look for hooks other than the library's own after a commit: how many it takes, and for how long. */
const LOOK = { limit: 100, leaseMs: 300_000 } as const;

/** A compiler for the units of work of one adapter. Reads become `CompiledRead`, writes hold a `CompiledWrite`. */
export function createCompiler(compiling: Compiling): Compiler {
  const scopeOf = (
    op: Parameters<Compiler["compileMutationOperation"]>[0] | ReadOperation,
  ): Scope => ({
    dialect: compiling.dialect,
    namespace: op.namespace ?? compiling.namespaces.of(op.schema),
  });
  return {
    compileRetrievalOperation: (op) => compileAnyRead(compiling, scopeOf(op), op),
    compileMutationOperation: (op) => compileWrite(scopeOf(op), op),
  };
}

function compileAnyRead({ storage }: Compiling, scope: Scope, op: ReadOperation): CompiledRead {
  if (op.type === "count") return compileRead(scope, op);
  const where = buildCondition(op.table, op.options.where);
  const hooksOf = toHookScan(op, where);
  if (hooksOf === null) return compileFind(scope, op, where);
  if (storage.current()?.takeDueRead() !== true) return compileDueRead(scope, op, hooksOf);
  // The library looks for hooks after every commit, to run them during the request. Only a processor gets any.
  const rows = takeHookRows(hooksOf);
  return { sql: null, writes: false, decode: () => rows };
}

/**
 * Compiles a read of due hooks by code that wants to run them, for instance Fragno's own `processHooks`. That code knows no leases,
 * so the hooks are leased when they are read.
 */
function compileDueRead(scope: Scope, { table }: FindOperation, namespace: string): CompiledRead {
  const { sql, read } = compileClaim(scope, table, { namespace, ...LOOK });
  return { sql, writes: true, decode: (rows) => read(rows).map(({ row }) => row) };
}
