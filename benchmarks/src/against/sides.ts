/** Sides of a comparison: a process each, which is sent a task and answers with what it measured. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** @returns once it is ready */
export async function startSide(program: string, args: readonly string[]): Promise<ChildProcess> {
  const side = fork(program, args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await answerOf(side);
  return side;
}

/** @returns its answer, as its program makes it */
export async function ask(side: ChildProcess, task: object): Promise<unknown> {
  side.send(task);
  return answerOf(side);
}

/** @throws when the process ends instead of answering */
async function answerOf(side: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  try {
    const answer = once(side, "message", { signal: ended.signal });
    const end = once(side, "exit", { signal: ended.signal }).then(([code]) => {
      throw new Error(`a side ended with code ${String(code)} instead of answering`);
    });
    return ((await Promise.race([answer, end])) as readonly unknown[])[0];
  } finally {
    ended.abort();
  }
}

/** By the task null. */
export async function stop(side: ChildProcess): Promise<void> {
  const ended = once(side, "exit");
  side.send(null as never);
  await ended;
}
