/** The compiler that units of work call: each operation in the namespace of its schema. */
import type { Dialect } from "../dialect/dialect.ts";
import { buildCondition } from "./conditions.ts";
import { type CompiledRead, compileFind, compileRead } from "./compile-read.ts";
import { compileWrite } from "./compile-write.ts";
import { takeHookRows } from "./hooks/hook-run.ts";
import { type Compiler, type ReadOperation, toHookScan } from "./internals.ts";
import type { Namespaces } from "./namespaces.ts";
import type { Scope } from "./tables.ts";

/** What compiling depends on. */
export interface Compiling {
  readonly dialect: Dialect;
  readonly namespaces: Namespaces;
}

/** A compiler for the units of work of one adapter. Reads become `CompiledRead`, writes hold a `CompiledWrite`. */
export function createCompiler(compiling: Compiling): Compiler {
  const scopeOf = (
    op: Parameters<Compiler["compileMutationOperation"]>[0] | ReadOperation,
  ): Scope => ({
    dialect: compiling.dialect,
    namespace: op.namespace ?? compiling.namespaces.of(op.schema),
  });
  return {
    compileRetrievalOperation: (op) => compileAnyRead(scopeOf(op), op),
    compileMutationOperation: (op) => compileWrite(scopeOf(op), op),
  };
}

function compileAnyRead(scope: Scope, op: ReadOperation): CompiledRead {
  if (op.type === "count") return compileRead(scope, op);
  const where = buildCondition(op.table, op.options.where);
  const hooksOf = toHookScan(op, where);
  if (hooksOf === null) return compileFind(scope, op, where);
  // The library asks after every commit, to run the hooks on the request's time; only a processor gives it any.
  const rows = takeHookRows(hooksOf);
  return { sql: null, writes: false, decode: () => rows };
}
