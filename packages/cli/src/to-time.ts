/** An instant as a person reads it: UTC, to the second. */
export const toTime = (epochMs: number): string =>
  new Date(epochMs).toISOString().replace(/\.\d+Z$/, "Z");
