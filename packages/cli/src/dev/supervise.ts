/**
 * @module The process that stays: it starts the one that runs the file, and another one whenever code changes. Loaded by
 * `escapement dev`.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { RefusedError, UsageError } from "../errors.ts";
import { toPlainText } from "../plain-text.ts";
import type { DevSettings } from "./dev-settings.ts";
import { watchCode } from "./watch-code.ts";

/** The message of the process that runs the file, once it answers. */
export interface Running {
  readonly url: string;
  readonly port: number;
  readonly workflows: readonly string[];
}

/** Its exit code when another program has the port that it was given. This process knows who asked for the port. */
export const PORT_TAKEN = 98;

/** A process that does not stop by itself within this time is killed. */
const PATIENCE_MS = 8000;

const say = (text: string): void => void process.stdout.write(`${toPlainText(text)}\n`);

/**
 * Resolves when a signal has ended it and the process that it started.
 *
 * @throws {UsageError} the file does not exist
 * @throws {RefusedError} another program has the port that was asked for: no change of the file frees it
 */
export async function supervise(settings: DevSettings): Promise<void> {
  const { file } = settings;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(
      `there is no file ${file}: name the one that exports your workflows, such as ./src/workflows.ts`,
    );
  const state: Supervision = { settings, port: settings.port, child: null, runs: 0, isOver: false };
  const stopWatching = watchCode(toRoot(file), (path) => void reload(state, path));
  const refusal = await untilEnd(state);
  state.isOver = true;
  stopWatching();
  await stop(state.child);
  if (refusal !== null) throw refusal;
}

interface Supervision {
  readonly settings: DevSettings;
  /** The free port that was found is kept, so that open pages stay connected. */
  port: number | null;
  child: ChildProcess | null;
  runs: number;
  isOver: boolean;
  reloading?: Promise<void> | undefined;
  /** Ends the command. */
  end?: (refusal: RefusedError | null) => void;
}

/** The project's folder, if the command runs inside it. */
function toRoot(file: string): string {
  const here = process.cwd();
  const isInside = !relative(here, resolve(file)).startsWith("..");
  return isInside && existsSync(join(here, "package.json")) ? here : dirname(resolve(file));
}

function start(state: Supervision): void {
  const { settings, port } = state;
  const { file, db, token, timeout } = settings;
  const place = port === null ? [] : ["--port", String(port)];
  // Secrets go into the environment, which process lists do not show.
  const env = {
    ...process.env,
    ESCAPEMENT_URL: "",
    ESCAPEMENT_ENGINE: "",
    ESCAPEMENT_DB: db,
    ...(token === undefined ? {} : { ESCAPEMENT_TOKEN: token }),
  };
  const args = ["dev", file, "--under-supervision", "--timeout", String(timeout), ...place];
  const child = fork(process.argv[1] ?? "", args, { env });
  state.child = child;
  state.runs += 1;
  child.on("message", (message) => {
    const running = message as Running;
    state.port = running.port;
    tellRunning(state, running);
  });
  child.once("exit", (code) => {
    if (state.child === child) state.child = null;
    if (code === PORT_TAKEN && !state.isOver) return withoutPort(state);
    // One that a reload stops while it is still being loaded has no fault.
    const isStopped = state.isOver || state.reloading !== undefined;
    if (!isStopped && code !== 0) say(`${file} does not run. Waiting for a change.`);
  });
}

/** A port that nobody asked for is left to the program that has taken it since. */
function withoutPort(state: Supervision): void {
  const { port } = state.settings;
  if (port !== null) {
    const why = `another program has port ${port}, which --port asks for`;
    const help = "stop that program, choose another port, or leave --port out to have a free one";
    state.end?.(new RefusedError("LISTEN_FAILED", `${why}: ${help}`));
    return;
  }
  state.port = null;
  start(state);
}

function tellRunning({ settings, runs }: Supervision, { url, workflows }: Running): void {
  const { file, db } = settings;
  if (runs > 1) return say(`Reloaded ${file}: ${workflows.join(", ")}`);
  const isUrl = /^[a-z][a-z+]+:\/\//i.test(db);
  say(`${file}: ${workflows.join(", ")}. Database: ${isUrl ? new URL(db).host : db}`);
  say(`  Dashboard  ${url}/dashboard`);
  say(`  API        ${url}/api/workflows`);
  say("For development: no sign-in, and reachable only from this machine. Ctrl-C stops it.");
}

/** One reload at a time; changes during it are part of the next. */
async function reload(state: Supervision, path: string): Promise<void> {
  if (state.reloading !== undefined || state.isOver) return;
  say(`${path} has changed.`);
  state.reloading = stop(state.child);
  await state.reloading;
  state.reloading = undefined;
  if (!state.isOver) start(state);
}

/** The process releases what it holds, so that the next one continues at once. */
async function stop(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  await exited;
  clearTimeout(timer);
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Starts the file's process, and resolves with a signal or a refusal. */
async function untilEnd(state: Supervision): Promise<RefusedError | null> {
  return await new Promise((settle) => {
    state.end = settle;
    for (const signal of SIGNALS) process.once(signal, () => settle(null));
    start(state);
  });
}
