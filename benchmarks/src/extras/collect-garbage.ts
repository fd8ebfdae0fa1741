/** Heap in use, with nothing in it that could be collected. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use after a full collection. */
export async function measureHeapBytes(): Promise<number> {
  // Twice, with a turn between: what finalizers let go is collected by the second.
  for (let pass = 0; pass < 2; pass += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** The same in the middle of synchronous code, which waits for no finalizer. */
export function collectNow(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
