/** Results of checks. */

/** One check's result. */
export interface Finding {
  /** The name of the check: short, and the same in every version. */
  readonly check: string;
  /** `fail`: something is wrong or will be. `warn`: it may be. `skipped`: it could not be checked. */
  readonly result: "ok" | "warn" | "fail" | "skipped";
  readonly found: string;
  /** Why it matters; absent if all is well. */
  readonly why?: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, result: "ok", found });

export const skipped = (check: string, found: string): Finding => ({
  check,
  result: "skipped",
  found,
});

/** What is wrong, why it matters, and what to do. */
export const wrong = (
  check: string,
  result: "warn" | "fail",
  [found, why, advice]: readonly [found: string, why: string, advice: string],
): Finding => ({ check, result, found, why, advice });

/** `3 runs`, `1 run`. */
export const count = (number: number, one: string, many: string = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** A duration in plain words. */
export function toLength(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`;
}
