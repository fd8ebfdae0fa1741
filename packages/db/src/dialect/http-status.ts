/**
 * Whether a server that answered with this status may answer otherwise later: load and faults pass; what it refuses (a
 * bad token, no such database, too large an answer) it refuses again.
 */
export function isPassingHttpStatus(status: number): boolean {
  const INSUFFICIENT_STORAGE = 507;
  return (status >= 500 && status !== INSUFFICIENT_STORAGE) || status === 429 || status === 408;
}

/** Whether a server refused whoever asked, or does not have what was asked for: the token or the URL is wrong. */
export const isAccessStatus = (status: number | null): boolean =>
  status === 401 || status === 403 || status === 404;
