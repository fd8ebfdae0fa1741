/**
 * Whether a server that answered with this status may answer differently later: overload and faults pass, but what it refuses (a
 * bad token, an unknown database, too large an answer) it will refuse again.
 */
export function isPassingHttpStatus(status: number): boolean {
  const INSUFFICIENT_STORAGE = 507;
  return (status >= 500 && status !== INSUFFICIENT_STORAGE) || status === 429 || status === 408;
}

/** Whether the status means that the token or the URL is wrong: access refused, or not found. */
export const isAccessStatus = (status: number | null): boolean =>
  status === 401 || status === 403 || status === 404;
