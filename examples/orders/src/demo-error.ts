/** Trouble that the person at the keyboard can do something about: printed without a stack. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}

/** What to say about an error that the disk or the directory caused; null for any other. */
export function toDiskTrouble(error: unknown, path: string): string | null {
  const text = error instanceof Error ? `${codeOf(error)} ${error.message}` : String(error);
  if (/ENOSPC|EDQUOT|SQLITE_FULL|disk is full/i.test(text))
    return `no space is left on the disk of ${path}`;
  if (/EROFS|SQLITE_READONLY|readonly database/i.test(text)) return `${path} is read-only`;
  if (/EACCES|EPERM|SQLITE_CANTOPEN/i.test(text)) return `${path} may not be written to`;
  if (/ENOTDIR|EEXIST/i.test(text)) return `${path} is not a directory`;
  return null;
}

/** An error's `code`, or "". */
export function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

/** Messages of an error and of what caused it, the innermost last. */
export function toReasons(error: unknown): string {
  const reasons: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    if (each.message !== "" && !reasons.includes(each.message)) reasons.push(each.message);
  return reasons.length === 0 ? String(error) : reasons.join(": ");
}
