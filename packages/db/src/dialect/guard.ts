/** How the name of a failed guard gets into the conflict that reports it. */

/** The text before a guard's name, in the SQL and in the database's error. */
export const GUARD_MARKER = "escapement-guard:";

/** The guard in an error message, or null. */
export function parseGuardName(message: string): string | null {
  const start = message.indexOf(GUARD_MARKER);
  if (start === -1) return null;
  return /^[a-z0-9_-]*/.exec(message.slice(start + GUARD_MARKER.length))?.[0] ?? null;
}
