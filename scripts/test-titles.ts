/** Reads the titles of tests out of test files, without running them. */

/** A title as written. Interpolations of template literals are kept as text. */
export interface TestTitle {
  readonly title: string;
  readonly kind: "test" | "describe";
  /** Offset in the text, for line numbers. */
  readonly offset: number;
}

const CALL = /(?<![\w.$])(?<kind>test|it|describe)(?:\.[a-zA-Z]+)*(?=\s*\()/g;

/** Titles of all `test`, `it` and `describe` calls, in order. `test.each(table)(title)` and `.skipIf(x)(title)` too. */
export function readTestTitles(text: string): TestTitle[] {
  const titles: TestTitle[] = [];
  for (const match of text.matchAll(CALL)) {
    const hasTable = /\.(each|for|skipIf|runIf)$/.test(match[0]);
    const open = text.indexOf("(", match.index + match[0].length);
    const titleAt = hasTable ? text.indexOf("(", skipParentheses(text, open)) + 1 : open + 1;
    const title = readLiteral(text, titleAt);
    if (title !== null) {
      const kind = match.groups?.["kind"] === "describe" ? "describe" : "test";
      titles.push({ title, kind, offset: match.index });
    }
  }
  return titles;
}

/** Offset just after the parenthesis that closes the one at `open`. Strings and comments are skipped. */
function skipParentheses(text: string, open: number): number {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[()]/g;
  token.lastIndex = open;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === "(") depth += 1;
    if (found[0] === ")") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}

function readLiteral(text: string, from: number): string | null {
  const literal = /\s*(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`)/y;
  literal.lastIndex = from;
  const found = literal.exec(text);
  const raw = found?.[1] ?? found?.[2] ?? found?.[3];
  return raw === undefined ? null : raw.replaceAll(/\\(["'`\\])/g, "$1");
}
