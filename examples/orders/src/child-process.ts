/** A child process of the demo, seen from the main process. */
import { fork } from "node:child_process";
import { type ChildMessage, SETTINGS_VARIABLE } from "./child-side.ts";

export interface Child {
  readonly pid: number;
  /** Where it listens. */
  readonly url: string;
  kill(signal: NodeJS.Signals): void;
  /** The end of what it has printed as errors so far. */
  readonly lastWords: string;
  readonly exited: Promise<ChildEnd>;
}

/** How a child went. */
export interface ChildEnd {
  /** For instance `SIGKILL` or `exit code 1`. */
  readonly how: string;
  /** The end of what it printed as errors. */
  readonly lastWords: string;
}

export interface ChildOptions {
  readonly program: URL;
  readonly settings: unknown;
  readonly onMessage: (message: ChildMessage) => void;
}

const LAST_WORDS_MAX = 2000;

/** Starts a program and waits until it listens. @returns its last words when it ended before that */
export function startChild({
  program,
  settings,
  onMessage,
}: ChildOptions): Promise<Child | string> {
  const child = fork(program, {
    // Not as an argument: a database's password may be in it, and everyone can see arguments.
    env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(settings) },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let lastWords = "";
  child.stderr?.on("data", (chunk) => {
    lastWords = (lastWords + String(chunk)).slice(-LAST_WORDS_MAX);
  });
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once("error", (error) => resolve({ how: "an error", lastWords: String(error) }));
    child.once("close", (code, signal) =>
      resolve({ how: signal ?? `exit code ${code}`, lastWords: lastWords.trim() }),
    );
  });
  return new Promise((resolve) => {
    void exited.then((end) => resolve(`${end.how}\n${end.lastWords}`.trim()));
    child.on("message", (message: ChildMessage) => {
      onMessage(message);
      if (message.kind !== "ready") return;
      const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
      resolve({
        pid: child.pid ?? 0,
        url: message.url,
        kill,
        get lastWords() {
          return lastWords.trim();
        },
        exited,
      });
    });
  });
}
