/** Makes ids from idempotency keys: the same key always gives the same ids. */
import { RUN_OPTIONS } from "../authoring/run-options.ts";
import { toBase64Url } from "../core/base64-url.ts";
import { parseIdempotencyKey } from "../core/request-ids.ts";
import { assertKnownInput } from "../core/known-inputs.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { CreateInstanceInput } from "../ports/create-inputs.ts";
import type { NewInstance } from "../ports/create.ts";
import { keyConflict } from "./refusals.ts";

/** A create that names the row it writes, so that a repeat finds the row. */
export interface IdentifiedCreate extends Omit<CreateInstanceInput, "idempotencyKey"> {
  /** Made from an idempotency key. @default a new one: the create is not a repeat */
  readonly instanceRowId?: string;
}

/** Every option of a create. */
export const CREATE_OPTIONS: Readonly<Record<keyof CreateInstanceInput, 1>> = {
  id: 1,
  params: 1,
  startAt: 1,
  delay: 1,
  onExisting: 1,
  idempotencyKey: 1,
  ...RUN_OPTIONS,
};

/** The longest row id that the tables can store. */
const ROW_ID_LENGTH = 30;

/**
 * Replaces the key of a create by the ids that are made from it: the row id, and the public id if none is given.
 *
 * @throws {WorkflowError} INVALID_IDEMPOTENCY_KEY, UNKNOWN_OPTION
 */
export async function identifyCreate(
  workflowName: string,
  given: CreateInstanceInput,
): Promise<IdentifiedCreate> {
  assertKnownInput("create", given, CREATE_OPTIONS);
  // A copy, because the caller may reuse the object before it is read.
  if (given.idempotencyKey === undefined) return { ...given };
  const { idempotencyKey, ...input } = given;
  const key = parseIdempotencyKey(idempotencyKey);
  const id = input.id ?? `k-${await digest(["id", key])}`;
  const instanceRowId = (await digest(["row", workflowName, id, key])).slice(0, ROW_ID_LENGTH);
  return { ...input, id, instanceRowId };
}

/**
 * Checks that a repeated create asks for the same as the first one with its key.
 *
 * @throws {WorkflowError} IDEMPOTENCY_KEY_CONFLICT
 */
export function assertSameCreate(existing: InstanceRecord, asked: NewInstance): void {
  if (existing.params !== asked.params) throw keyConflict(asked);
}

/** SHA-256 as 43 characters that are allowed in an instance id. The parts are encoded so that different lists never look the same. */
async function digest(parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
