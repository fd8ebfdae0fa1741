/**
 * Everything that this folder takes from Fragno, in one place. As namespace imports, a name that another version lacks is
 * undefined, and the adapter reports it; a named import would be a syntax error of the loader.
 */
import * as api from "@fragno-dev/core/api";
import * as requests from "@fragno-dev/core/internal/request-context-storage";
import * as db from "@fragno-dev/db";
import * as cursors from "@fragno-dev/db/cursor";
import * as schemas from "@fragno-dev/db/schema";
import * as units from "@fragno-dev/db/unit-of-work";
import { requireFragno } from "./library-version.ts";

/** Classes and functions of the library. */
export const library: {
  readonly ConcurrencyConflictError: typeof db.ConcurrencyConflictError;
  readonly createHandlerTxBuilder: typeof db.createHandlerTxBuilder;
  readonly ExponentialBackoffRetryPolicy: typeof db.ExponentialBackoffRetryPolicy;
  readonly NoRetryPolicy: typeof db.NoRetryPolicy;
  readonly FragnoId: typeof schemas.FragnoId;
  readonly FragnoReference: typeof schemas.FragnoReference;
  readonly Cursor: typeof cursors.Cursor;
  readonly decodeCursor: typeof cursors.decodeCursor;
  readonly FindBuilder: typeof units.FindBuilder;
  readonly TypedUnitOfWork: typeof units.TypedUnitOfWork;
  readonly UnitOfWork: typeof units.UnitOfWork;
  readonly FragnoApiError: typeof api.FragnoApiError;
  readonly RequestContextStorage: typeof requests.RequestContextStorage;
} = {
  ConcurrencyConflictError: db.ConcurrencyConflictError,
  createHandlerTxBuilder: db.createHandlerTxBuilder,
  ExponentialBackoffRetryPolicy: db.ExponentialBackoffRetryPolicy,
  NoRetryPolicy: db.NoRetryPolicy,
  FragnoId: schemas.FragnoId,
  FragnoReference: schemas.FragnoReference,
  Cursor: cursors.Cursor,
  decodeCursor: cursors.decodeCursor,
  FindBuilder: units.FindBuilder,
  TypedUnitOfWork: units.TypedUnitOfWork,
  UnitOfWork: units.UnitOfWork,
  FragnoApiError: api.FragnoApiError,
  RequestContextStorage: requests.RequestContextStorage,
};

/**
 * Refuses a version of the library that the adapter was not written for.
 *
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED
 */
export function requireKnownFragno(): void {
  requireFragno(library, schemas.schema);
}

// The rest of this folder extends some of them while it is loaded.
if (Object.values<unknown>(library).includes(undefined)) requireKnownFragno();
