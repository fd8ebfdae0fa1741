/** Fragno's units of work with what the library leaves open: whose hook it is, and which transaction. */
import { ConcurrencyConflictError, type HooksMap } from "@fragno-dev/db";
import { type IUnitOfWork, TypedUnitOfWork, type UnitOfWork } from "@fragno-dev/db/unit-of-work";
import {
  type AnySchema,
  type HookOptions,
  HOOKS_TABLE,
  INTERNAL_NAMESPACE,
  toMaxAttempts,
} from "./internals.ts";
import type { Namespaces } from "./namespaces.ts";

/** What the library keeps per request: the unit of work of the transaction begun last. */
export interface RequestStore {
  uow: IUnitOfWork;
}

/** Where units of work come from. */
export interface UnitOfWorkOrigin {
  readonly schema: AnySchema;
  readonly namespaces: Namespaces;
  /** Makes a bare unit of work; its key is new unless given. */
  readonly make: (idempotencyKey?: string) => UnitOfWork;
}

/** A view of one schema on a unit of work; hooks triggered in it are filed under that schema. */
class SchemaView extends TypedUnitOfWork<AnySchema, [], unknown, HooksMap> {
  readonly #file: (hookName: string, payload: unknown, options?: HookOptions) => void;

  constructor(uow: UnitOfWork, schema: AnySchema, namespaces: Namespaces) {
    const namespace = namespaces.of(schema);
    super(schema, namespace, uow);
    this.#file = (hookName, payload, options) => {
      const internal = new TypedUnitOfWork(namespaces.internal, INTERNAL_NAMESPACE, uow);
      internal.create(HOOKS_TABLE, {
        namespace,
        hookName,
        payload: payload ?? null,
        status: "pending",
        attempts: 0,
        maxAttempts: toMaxAttempts(options),
        nonce: uow.idempotencyKey,
      });
    };
  }

  override triggerHook(hookName: string, payload: unknown, options?: HookOptions): void {
    this.#file(hookName, payload, options);
  }
}

/**
 * The unit of work of a request. `reset()`, which begins each try of each transaction, puts a fresh unit of work in the
 * request's store: transactions of one request that run at the same time do not meet, and each has a key of its own,
 * which a transaction that is tried again keeps.
 */
export class RequestUnitOfWork extends SchemaView {
  readonly #origin: UnitOfWorkOrigin;
  #request: Request | null = null;

  constructor(origin: UnitOfWorkOrigin, idempotencyKey?: string) {
    const uow = attributeHooks(origin.make(idempotencyKey), origin.namespaces);
    super(uow, origin.schema, origin.namespaces);
    this.#origin = origin;
  }

  /** Ties the unit of work to the store that holds it. */
  attachTo(store: RequestStore): void {
    this.#request = { store, unfinishedKeys: [] };
  }

  override reset(): void {
    if (this.#request === null) {
      super.reset();
      return;
    }
    const next = new RequestUnitOfWork(this.#origin, this.#request.unfinishedKeys.shift());
    next.#request = this.#request;
    this.#request.store.uow = next;
  }

  override async executeRetrieve(): Promise<[]> {
    try {
      return await super.executeRetrieve();
    } catch (error) {
      if (error instanceof ConcurrencyConflictError) this.#willBeTriedAgain();
      throw error;
    }
  }

  override async executeMutations(): Promise<{ success: boolean }> {
    const result = await super.executeMutations();
    if (!result.success) this.#willBeTriedAgain();
    return result;
  }

  // Nothing was committed under the key, so that whichever transaction takes it next may have it.
  #willBeTriedAgain(): void {
    this.#request?.unfinishedKeys.push(this.idempotencyKey);
  }
}

interface Request {
  readonly store: RequestStore;
  /** Keys of transactions that met a conflict. */
  readonly unfinishedKeys: string[];
}

/** Makes the views of a unit of work, and of its children, file hooks under their own schema. */
function attributeHooks(uow: UnitOfWork, namespaces: Namespaces): UnitOfWork {
  const restrict = uow.restrict.bind(uow);
  const views = {
    forSchema: (schema: AnySchema) => new SchemaView(uow, schema, namespaces),
    restrict: (options: Parameters<typeof restrict>[0]) =>
      attributeHooks(restrict(options), namespaces),
  };
  return Object.assign(uow, views);
}
