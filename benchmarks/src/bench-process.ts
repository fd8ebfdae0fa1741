/** `npm run bench` in a process of its own, for tests: some of it takes the process's clock away. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
}

export const bench = (args: readonly string[]): Promise<Output> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL("main.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", main, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout }));
  });
