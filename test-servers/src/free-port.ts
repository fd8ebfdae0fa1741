/** Ports for servers that are told where to listen: each is given to one process at a time. */
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Below those that systems give to outgoing connections, which may come between the answer and its use. */
const FIRST_PORT = 20_000;
const COUNT = 10_000;

/** A file for each port that is given, with the id of the process that has it. */
const RESERVED = join(tmpdir(), "escapement-ports");

/** Files of this process. */
const given = new Set<string>();

const giveBack = (path: string): void => rmSync(path, { force: true });

/**
 * A port of 127.0.0.1 that nobody listens on. Nobody else who asks for one gets it while this process lives.
 *
 * @throws RangeError when there is none
 */
export async function findFreePort(): Promise<number> {
  mkdirSync(RESERVED, { recursive: true });
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * COUNT);
    if (reserve(port) && (await isFree(port))) return port;
  }
  throw new RangeError("no port is free");
}

/** @returns false: another process has it, or had it until now */
function reserve(port: number): boolean {
  const path = join(RESERVED, String(port));
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
  } catch {
    // Its process was killed: the next who asks may have it.
    if (!isAlive(Number(readOwner(path)))) giveBack(path);
    return false;
  }
  if (given.size === 0) process.once("exit", () => given.forEach(giveBack));
  given.add(path);
  return true;
}

/** "0" of one that was given back meanwhile, or is being written: as if somebody had it. */
function readOwner(path: string): string {
  try {
    return readFileSync(path, "utf8") || "0";
  } catch {
    return "0";
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
