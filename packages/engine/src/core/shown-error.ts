/** Error records as they are shown. */
import type { ErrorRecord } from "./model/records.ts";

/** As it is shown and logged: which step it is of is for `retry`, and its details say so mostly. */
export const toShownError = ({ failedStep: _failedStep, ...error }: ErrorRecord): ErrorRecord =>
  error;
