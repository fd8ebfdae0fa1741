/** How a guard's name travels from the statement that failed to the conflict that reports it. */

/** Text in front of a guard's name, in the SQL and in the error that the database answers with. */
export const GUARD_MARKER = "escapement-guard:";

/** The guard that an error message tells of, or null. */
export function parseGuardName(message: string): string | null {
  const start = message.indexOf(GUARD_MARKER);
  if (start === -1) return null;
  return /^[a-z0-9_-]*/.exec(message.slice(start + GUARD_MARKER.length))?.[0] ?? null;
}
