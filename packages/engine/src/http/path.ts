/** Paths as routes see them: split once, decoded once, nothing else. Whoever routes by a path uses this. */

/**
 * Segments of a path, decoded.
 *
 * A URL has resolved its dot segments by then, encoded ones too. An encoded slash stays inside its segment. One slash at
 * the end counts for nothing; any other empty segment is one, so that `//a` is another path than `/a`.
 *
 * @returns null: a broken escape, which is nobody's name
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
 * Matches segments with a pattern, segment by segment.
 *
 * @param pattern as `/workflows/:workflowName`, split; a segment that begins with a colon takes any that is not empty
 * @returns what such segments took; null: another path
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
