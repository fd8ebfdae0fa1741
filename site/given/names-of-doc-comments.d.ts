/** Names that examples in doc comments use, where an editor shows them beside the code that has them. */
import type { Statement } from "@escapement/db/client";
import type { FragnoAdapter } from "@escapement/fragno";
import type * as library from "@fragno-dev/db";
import type * as sessions from "../../examples/fragment-sessions/src/index.ts";
import type { taskSchema } from "./task-schema.ts";

declare global {
  const adapter: FragnoAdapter;
  const uow: library.TypedUnitOfWork<typeof taskSchema>;
  const orders: { close(id: string): library.TxResult<boolean> };
  const orderId: string;
  const owner: string;
  const fence: readonly Statement[];
  const requiredWorkflows: typeof sessions.requiredWorkflows;
  type DatabaseRequestContext = library.DatabaseRequestContext;
}
