/** The little that the pages use of runtimes whose own types exclude each other, beside what tests declare of them. */
import type { createBunSqlDatabase } from "@escapement/db/bun-sql";

declare global {
  namespace Deno {
    function readTextFile(path: string): Promise<string>;
    function writeTextFile(path: string, text: string): Promise<void>;
  }

  namespace Bun {
    const SQL: new (url: string) => Parameters<typeof createBunSqlDatabase>[0];
    function write(path: string, text: string): Promise<number>;
  }
}
