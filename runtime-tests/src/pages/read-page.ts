/** A page as somebody reads it who follows it: the files that it gives, and the commands of each section. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PageFile {
  readonly path: string;
  readonly text: string;
  /** Of the section that shows it. */
  readonly heading?: string;
}

export interface Page {
  /** In the order of the page. The paragraph above a file's fence begins with its path as code, and ends with a colon. */
  readonly files: readonly PageFile[];
  /** By heading, each fence without a language as its lines. */
  readonly commands: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Code that belongs to no file, which nobody who follows the page has. */
  readonly nameless: readonly string[];
}

const FENCE = /```(?<language>\w*)\n(?<text>.*?)```/gs;

/** Reads a page by its path in the repository. */
export function readPage(pagePath: string): Page {
  const url = new URL(`../../../${pagePath}`, import.meta.url);
  const page = readFileSync(fileURLToPath(url), "utf8");
  const files: PageFile[] = [];
  const nameless: string[] = [];
  const commands = new Map<string, string[][]>();
  for (const [heading = "", ...parts] of page.split(/^#{2,3} /m).map((part) => part.split("\n"))) {
    const section = parts.join("\n");
    for (const { index, groups } of section.matchAll(FENCE)) {
      const { language = "", text = "" } = groups ?? {};
      const above = section.slice(0, index).trim().split("\n\n").at(-1) ?? "";
      const path = /^`([\w./+[\]-]+)`.*:$/s.exec(above)?.[1];
      if (path !== undefined) files.push({ path, text, heading });
      else if (language !== "") nameless.push(text);
      else commands.set(heading, [...(commands.get(heading) ?? []), text.trim().split("\n")]);
    }
  }
  return { files, commands, nameless };
}

/** Writes the files of a page into a folder. */
export function writeFiles(folder: string, files: readonly PageFile[]): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
