/** An instant for people: UTC, to the second. */
export const toTime = (epochMs: number): string =>
  new Date(epochMs).toISOString().replace(/\.\d+Z$/, "Z");
