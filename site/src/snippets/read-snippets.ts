/** The TypeScript that the pages show, each piece with the file of which a reader would make it. */
import { posix } from "node:path";
import { lineOf, listFiles, readProjectFile } from "../../../scripts/project-files.ts";

/** A code fence of a page whose language is `ts` or `tsx`. */
export interface Snippet {
  /** Path in the repository. */
  readonly page: string;
  /** Of the first line of code, from 1. */
  readonly line: number;
  /** In the page's program: the path that the paragraph above gives, or one made of the line. */
  readonly file: string;
  readonly code: string;
}

/** Pages whose snippets are checked: what readers of the site and of the published packages see. */
const PAGES =
  /^(?:README\.md|docs\/.*\.md|(?:packages|adapters)\/[^/]+\/README\.md|examples\/.*\.md)$/;
const FENCE = /^(?<indent> *)```(?<language>tsx?)(?: .*)?\n(?<code>.*?)^\k<indent>```$/gms;

/** All pages with snippets. */
export function listPages(): string[] {
  return listFiles((path) => PAGES.test(path));
}

/** Snippets of one page, in its order. */
export function readSnippets(page: string, text: string = readProjectFile(page)): Snippet[] {
  return [...text.matchAll(FENCE)].map(({ index, groups }) => {
    const { language = "ts", code = "", indent = "" } = groups ?? {};
    const line = lineOf(text, index) + 1;
    const named = readFileName(text.slice(0, index));
    const file = named ?? `line-${line}.${language}`;
    return { page, line, file, code: removeIndent(code, indent) };
  });
}

/** The path that begins the paragraph above a fence, which then ends with a colon: "`src/main.ts`, with …:". */
function readFileName(above: string): string | undefined {
  const paragraph = above.trimEnd().split("\n\n").at(-1) ?? "";
  const path = /^`(?<path>[\w./+[\]-]+\.tsx?)`.*:$/s.exec(paragraph)?.groups?.["path"];
  return path === undefined ? undefined : posix.normalize(path);
}

function removeIndent(code: string, indent: string): string {
  return indent === "" ? code : code.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}
