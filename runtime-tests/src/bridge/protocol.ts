/** What goes between a test on Node and a database client in another runtime: JSON over HTTP. */
import type { BatchResult, DatabaseError, Statement } from "@escapement/db/client";

/** `POST /<client>/batch`. */
export interface BatchRequest {
  readonly statements: readonly Statement[];
}

/** What the client answered, or the `DatabaseError` that it threw. */
export type BatchAnswer =
  | { readonly result: BatchResult }
  | {
      readonly error: {
        readonly code: DatabaseError["code"];
        readonly message: string;
        /** The driver's own error; null: there was none. */
        readonly cause: { readonly message: string; readonly code: unknown } | null;
      };
    };
