/** Fragno's units of work with additional facts: the schema of each hook, and the transaction. */
import type { HooksMap } from "@fragno-dev/db";
import type { UnitOfWork } from "@fragno-dev/db/unit-of-work";
import { library } from "./library.ts";
import {
  type AnySchema,
  type HookOptions,
  HOOKS_TABLE,
  INTERNAL_NAMESPACE,
  isInternalSchema,
  toMaxAttempts,
} from "./internals.ts";
import type { Namespaces } from "./namespaces.ts";

/** The source of units of work. */
export interface UnitOfWorkOrigin {
  readonly schema: AnySchema;
  readonly namespaces: Namespaces;
  /** Creates a plain unit of work; its key is new unless given. */
  readonly make: (idempotencyKey?: string) => UnitOfWork;
}

/** The transaction of a request that a unit of work is one try of. */
export interface Tries {
  /** Begins the next try. */
  readonly begin: () => void;
  /** Commits a try, unless another one was committed or is about to be. */
  readonly commit: (
    tried: RequestUnitOfWork,
    send: () => Promise<{ success: boolean }>,
  ) => Promise<{ success: boolean }>;
}

/** A view of one schema on a unit of work; hooks triggered through it are filed under that schema. */
class SchemaView extends library.TypedUnitOfWork<AnySchema, [], unknown, HooksMap> {
  readonly #file: (hookName: string, payload: unknown, options?: HookOptions) => void;

  constructor(uow: UnitOfWork, schema: AnySchema, namespaces: Namespaces) {
    const namespace = namespaces.of(schema);
    super(schema, namespace, uow);
    this.#file = (hookName, payload, options) => {
      const internal = new library.TypedUnitOfWork(namespaces.internal, INTERNAL_NAMESPACE, uow);
      internal.create(HOOKS_TABLE, {
        namespace,
        hookName,
        payload: payload ?? null,
        status: "pending",
        attempts: 0,
        maxAttempts: toMaxAttempts(options),
        nonce: uow.idempotencyKey,
        ...(options?.nextRetryAt === undefined ? {} : { nextRetryAt: options.nextRetryAt }),
      });
    };
  }

  override triggerHook(hookName: string, payload: unknown, options?: HookOptions): void {
    this.#file(hookName, payload, options);
  }
}

/** The unit of work of a request, or of a direct caller of the adapter. */
export class RequestUnitOfWork extends SchemaView {
  readonly origin: UnitOfWorkOrigin;
  readonly #uow: UnitOfWork;
  readonly #tries: Tries | null;
  #hasHooks = false;

  constructor(origin: UnitOfWorkOrigin, uow: UnitOfWork, tries: Tries | null = null) {
    super(uow, origin.schema, origin.namespaces);
    this.origin = origin;
    this.#uow = uow;
    this.#tries = tries;
  }

  /** The same unit of work, as a try of a transaction. */
  asTryOf(tries: Tries): RequestUnitOfWork {
    return new RequestUnitOfWork(this.origin, this.#uow, tries);
  }

  /** The library registers its own schema with the transactions of a fragment with hooks. */
  get hasHooks(): boolean {
    return this.#hasHooks;
  }

  override registerSchema(schema: AnySchema, namespace: string): void {
    super.registerSchema(schema, namespace);
    this.#hasHooks ||= isInternalSchema(schema);
  }

  override reset(): void {
    if (this.#tries === null) super.reset();
    else this.#tries.begin();
  }

  override executeMutations(): Promise<{ success: boolean }> {
    const send = (): Promise<{ success: boolean }> => super.executeMutations();
    return this.#tries === null ? send() : this.#tries.commit(this, send);
  }
}

/** A unit of work whose key is new unless given. */
export function createBareUnitOfWork(
  origin: UnitOfWorkOrigin,
  idempotencyKey?: string,
): RequestUnitOfWork {
  return new RequestUnitOfWork(
    origin,
    attributeHooks(origin.make(idempotencyKey), origin.namespaces),
  );
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
