/** Error records for readers. */
import type { ErrorRecord } from "./model/records.ts";

/** The record without the failed step, which only `retry` needs and which the details usually contain. */
export const toShownError = ({ failedStep: _failedStep, ...error }: ErrorRecord): ErrorRecord =>
  error;
