/** Finds the parameters in a statement's text, for drivers that cannot take them as they are. */

// Text that may hide a placeholder: comments, quoted text and names, and (Postgres) names with a dollar sign in them. Postgres:
// https://www.postgresql.org/docs/18/sql-syntax-lexical.html, SQLite: https://www.sqlite.org/lang_keywords.html and
// https://www.sqlite.org/c3ref/bind_blob.html (read 2026-11). Comments of Postgres can be nested: a nested one is left to `stray`, and so
// is a quote that never ends.
const COMMENT_TO_LINE_END = String.raw`--[^\n]*`;
const NAME = String.raw`[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*`;

const POSTGRES = new RegExp(
  [
    String.raw`[eE]'(?:[^'\\]|\\[^]|'')*'`,
    String.raw`'(?:[^']|'')*'`,
    String.raw`"(?:[^"]|"")*"`,
    String.raw`\$(?<tag>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[^]*?\$\k<tag>\$`,
    COMMENT_TO_LINE_END,
    String.raw`/\*(?:(?!/\*|\*/)[^])*\*/`,
    NAME,
    String.raw`\$(?<position>\d+)`,
    String.raw`(?<stray>['";]|/\*|\$)`,
  ].join("|"),
  "g",
);

const SQLITE = new RegExp(
  [
    String.raw`'(?:[^']|'')*'`,
    String.raw`"(?:[^"]|"")*"`,
    String.raw`\x60(?:[^\x60]|\x60\x60)*\x60`,
    String.raw`\[[^\]]*\]`,
    COMMENT_TO_LINE_END,
    String.raw`/\*[^]*?\*/`,
    String.raw`\?(?<position>\d+)`,
  ].join("|"),
  "g",
);

/** Returns the replacement for the placeholder of a 1-based parameter. */
export type Replacement = (position: number) => string;

/** Replaces each `?1` in SQLite's text. */
export function replaceSqlitePlaceholders(text: string, replacement: Replacement): string {
  return text.replace(SQLITE, (token, position?: string) =>
    position === undefined ? token : replacement(Number(position)),
  );
}

/**
 * Replaces each `$1` in Postgres's text.
 *
 * @param onStray called for text that does not belong to a single complete statement: a semicolon, a quote or a comment that does not
 *   end, a nested comment; it throws
 */
export function replacePostgresPlaceholders(
  text: string,
  replacement: Replacement,
  onStray: (token: string) => never,
): string {
  return text.replace(POSTGRES, (token, _tag?: string, position?: string, stray?: string) => {
    if (stray !== undefined) return onStray(stray);
    return position === undefined ? token : replacement(Number(position));
  });
}
