/** Pieces of SQL with their parameters, combined before the parameters are numbered. */
import type { Dialect, SqlValue, Statement } from "@escapement/db/client";

/** Text around parameters; there is always one part more than there are values. */
export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
}

/** A bound parameter. */
export const param = (value: SqlValue): Sql => ({ parts: ["", ""], values: [value] });

/** Text without parameters. */
export const raw = (text: string): Sql => ({ parts: [text], values: [] });

/** Template tag: pieces in text. */
export function sql(strings: TemplateStringsArray, ...items: readonly Sql[]): Sql {
  return glue(strings, items);
}

/** The pieces with `separator` between them; without pieces, empty text. */
export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  const strings = pieces.map((_, index) => (index === 0 ? "" : separator));
  return glue([...strings, ""], pieces);
}

/** A piece inside the text that a function of the dialect puts around an expression. */
export function wrapSql(around: (expression: string) => string, inner: Sql): Sql {
  // NUL cannot occur in SQL text, so it marks the place of the expression.
  const strings = around("\0").split("\0");
  return glue(
    strings,
    strings.slice(1).map(() => inner),
  );
}

/** A statement of the dialect, or the given statement; parameters are numbered from the first. */
export function toStatement(piece: Sql | Statement, dialect: Dialect): Statement {
  if ("text" in piece) return piece;
  const { parts, values } = piece;
  const text = parts.reduce((before, part, index) => before + dialect.param(index) + part);
  return { text, values };
}

function glue(strings: readonly string[], items: readonly Sql[]): Sql {
  const parts: string[] = [strings[0] ?? ""];
  const values: SqlValue[] = [];
  items.forEach((item, index) => {
    const [first = "", ...others] = item.parts;
    parts[parts.length - 1] += first;
    parts.push(...others);
    parts[parts.length - 1] += strings[index + 1] ?? "";
    values.push(...item.values);
  });
  return { parts, values };
}
