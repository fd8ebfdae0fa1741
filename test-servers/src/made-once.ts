/** What several test files need and one of them makes for the whole run: packed packages, for instance. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

/** Names the folder that the test files of a run share; `global-setup` makes and removes it. */
export const RUN_FOLDER = "ESCAPEMENT_TEST_RUN_FOLDER";

const LOOK_MS = 50;
let own: string | null = null;

/**
 * Has `make` fill a folder unless another test file of this run has, or is at it; then it waits for that one. Without a folder of
 * the run it is made once for this process.
 *
 * @param name - of what is made, as part of a path
 * @returns the folder, which nobody changes any more
 * @throws {Error} it could not be made, here or there
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const place = join(process.env[RUN_FOLDER] ?? (own ??= temporaryDirectory().path), name);
  const [folder, made, failed] = [place, `${place}.made`, `${place}.failed`];
  if (isMine(folder)) {
    try {
      writeFileSync(makerOf(place), String(process.pid));
      await make(folder);
      writeFileSync(made, "");
    } catch (error) {
      writeFileSync(failed, String(error));
      throw error;
    }
  }
  while (!existsSync(made)) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"));
    if (isMakerGone(place) && !existsSync(made) && !existsSync(failed))
      throw new Error(`${name}: the process that made it has ended before it was made`);
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  }
  return folder;
}

/** Whoever comes first makes the folder, and fills it. */
function isMine(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const makerOf = (place: string): string => `${place}.maker`;

function isMakerGone(place: string): boolean {
  if (!existsSync(makerOf(place))) return false;
  const pid = Number(readFileSync(makerOf(place), "utf8"));
  // It is being written.
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
