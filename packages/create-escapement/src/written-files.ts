/** The files of a project while it is made, so that half a project can be removed again. */
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";

export class WrittenFiles {
  readonly #files: string[] = [];
  /** Each after the one that it is in. */
  readonly #folders: string[] = [];

  /** Never overwrites a file that was created meanwhile. */
  write(path: string, text: string, isSecret: boolean): void {
    this.#makeFolder(resolve(dirname(path)));
    const file = openSync(path, "wx", isSecret ? 0o600 : 0o666);
    this.#files.push(path);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  }

  /** Removes the files, and the folders in which nobody has put anything else. */
  remove(): void {
    for (const path of this.#files) attempt(() => rmSync(path, { force: true }));
    for (const path of this.#folders.toReversed()) attempt(() => rmdirSync(path));
  }

  #makeFolder(path: string): void {
    const first = mkdirSync(path, { recursive: true });
    if (first === undefined) return;
    this.#folders.push(first);
    let last = first;
    for (const name of relative(first, path).split(sep).filter(Boolean)) {
      last = resolve(last, name);
      this.#folders.push(last);
    }
  }
}

function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // It stays. The user is told why the project could not be made.
  }
}
