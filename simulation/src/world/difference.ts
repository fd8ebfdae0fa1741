/** What has changed between two looks. */

/** The lines in which two snapshots differ. */
export function difference(before: string, after: string): string {
  const old = new Set(before.split("\n"));
  const lines = after.split("\n").filter((line) => !old.has(line));
  return lines
    .map((line) => line.trim())
    .join(" ")
    .slice(0, 300);
}
