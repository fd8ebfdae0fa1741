import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { sqlite } from "@escapement/engine/sqlite";

/** Opens a store on a new file, in place of what an earlier start has left there. */
export function openAnew(file: string): ReturnType<typeof sqlite> {
  mkdirSync(dirname(file), { recursive: true });
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  return sqlite(file);
}

/** Whether the API of an engine with orders answers. Its file must not be taken from under it. */
export async function isServed(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/workflows/order/instances?pageSize=1`);
    return response.ok;
  } catch {
    return false;
  }
}
