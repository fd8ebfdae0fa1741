/** Checks numbers and words that callers give. */
import { invalidField } from "../core/invalid-field.ts";
import type { DurationMs } from "../core/model/records.ts";
import { INSTANCE_STATUSES, type InstanceStatusName } from "../core/model/status.ts";
import { SMALL_PAYLOAD_BYTES } from "../ports/pages.ts";
import type { HistoryInput, PayloadsShown } from "../ports/instance-views.ts";

/** The most rows of a page. */
export const MAX_PAGE_SIZE = 100;

/** @throws {WorkflowError} INVALID_REQUEST */
export function parseRunNumber(runNumber: number): number {
  if (Number.isInteger(runNumber) && runNumber >= 1 && runNumber <= 2_147_483_647) return runNumber;
  throw invalidField("runNumber", "a whole number from 1");
}

/** @throws {WorkflowError} INVALID_REQUEST */
export function parseWholeNumber(
  field: string,
  given: number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  if (Number.isInteger(given) && given >= from && given <= to) return given;
  throw invalidField(field, `a whole number from ${from} to ${to}`);
}

/** The longest wait of a request. */
export const MAX_WAIT_MS = 20_000;

/** @throws {WorkflowError} INVALID_REQUEST */
export const parseWaitMs = (waitMs: DurationMs): DurationMs =>
  parseWholeNumber("waitMs", waitMs, { from: 0, to: MAX_WAIT_MS });

/** The most steps of a history page; no page has more bytes than `PAGE_BYTES`. */
export const MAX_HISTORY_PAGE_SIZE = 1000;

/** @throws {WorkflowError} INVALID_REQUEST */
export function parseHistoryPageSize({ pageSize = MAX_PAGE_SIZE }: HistoryInput): number {
  return parsePageSize(pageSize, MAX_HISTORY_PAGE_SIZE);
}

/** @throws {WorkflowError} INVALID_REQUEST */
export const parsePageSize = (pageSize: number, most: number = MAX_PAGE_SIZE): number =>
  parseWholeNumber("pageSize", pageSize, { from: 1, to: most });

/** Parses which payloads a page leaves out. @throws {WorkflowError} INVALID_REQUEST */
export function parsePayloadsShown(payloads: PayloadsShown = "small"): {
  readonly maxPayloadBytes?: number;
} {
  if (payloads === "small") return { maxPayloadBytes: SMALL_PAYLOAD_BYTES };
  if (payloads === "full") return {};
  throw invalidField("payloads", '"small" or "full"');
}

/** @throws {WorkflowError} INVALID_REQUEST */
export function parseStatuses(
  ifStatus: readonly InstanceStatusName[] | undefined,
): readonly InstanceStatusName[] | null {
  if (ifStatus === undefined) return null;
  const isKnown =
    Array.isArray(ifStatus) && ifStatus.every((status) => INSTANCE_STATUSES.includes(status));
  if (!isKnown) throw invalidField("ifStatus", `a list of ${INSTANCE_STATUSES.join(", ")}`);
  return ifStatus;
}
