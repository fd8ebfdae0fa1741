/** Runs in Node 24, Bun and Deno: prints, as JSON, what was seen of turns that are asked for in turns. */
import { createTurns } from "../../../packages/engine/src/process/turns.ts";

const afterTurn = createTurns();
const seen: string[] = [];

async function work(depth: number, name: string): Promise<void> {
  for (let left = depth; left > 0; left -= 1) await Promise.resolve();
  seen.push(name);
}

await new Promise(setImmediate);
for (let turn = 0; turn < 4; turn += 1) {
  void work(500, `work ${turn}`);
  await new Promise<void>((resolve) => afterTurn(resolve));
  seen.push(`turn ${turn}`);
}
process.stdout.write(JSON.stringify(seen));
