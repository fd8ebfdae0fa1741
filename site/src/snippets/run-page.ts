/** Runs code of the pages as a reader would: the page's files in a folder, by tsx. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/project-files.ts";

/** A started program: what it has printed so far, and its end. */
export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Settles when it has printed the text; rejects with its output when it ends before. */
  readonly printed: (text: string) => Promise<void>;
  /** Its exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
}

/** Writes files, by name, into an empty folder below the site's, where its dependencies are found. */
export function writeFolder(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(ROOT, "site/.cache/runs", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}

/** Starts one of a folder's files. */
export function runFile(
  folder: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, ["--import", "tsx", file], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.includes(text)) resolve();
      };
      child.stdout.on("data", look);
      look();
      void ended.then(() => {
        reject(new Error(`ended without "${text}":\n${output}`));
      });
    });
  return { child, output: () => output, printed, ended };
}
