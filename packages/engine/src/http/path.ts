/** Paths as routes see them: split once and decoded once. Everything that routes by path uses this. */

/**
 * The decoded segments of a path.
 *
 * The URL has already resolved dot segments, including encoded ones. An encoded slash stays inside its segment. One slash at the end
 * is ignored; any other empty segment counts, so that `//a` and `/a` are different paths.
 *
 * @returns null: an invalid escape, which no route matches
 */
export function toSegments(pathname: string): readonly string[] | null {
  try {
    const segments = pathname.split("/").slice(1);
    if (segments.at(-1) === "") segments.pop();
    return segments.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/**
 * Matches segments with a pattern, one by one.
 *
 * @param pattern a pattern such as `/workflows/:workflowName`, split; a segment that begins with a colon matches any that is not empty
 * @returns the segments that matched a colon; null: another path
 */
export function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    const given = segments[index] ?? "";
    if (wanted.startsWith(":") && given !== "") params[wanted.slice(1)] = given;
    else if (wanted !== given) return null;
  }
  return params;
}

/** A pattern's segments. @param path starts with a slash, or is empty */
export const splitPattern = (path: string): readonly string[] => path.split("/").slice(1);
