/** Sends bytes that no HTTP client would, and reads what comes back. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import type { Measure, Question } from "./server.ts";

/** A request, byte by byte. */
export interface HostileRequest {
  readonly name: string;
  readonly head: string;
  readonly body?: Uint8Array;
  /** What is sent of it before the attacker goes silent or away. @default all */
  readonly cut?: "silent" | "gone";
}

export interface HostileAnswer {
  /** 0: the connection was closed without one. */
  readonly status: number;
  readonly sizeBytes: number;
  readonly text: string;
}

export interface Victim {
  readonly send: (request: HostileRequest) => Promise<HostileAnswer>;
  readonly ask: (question: Question) => Promise<Measure>;
  /** Exit code or signal, if it has ended. */
  readonly ended: () => number | string | null;
  readonly stop: () => Promise<void>;
}

const HEAP_MB = 256;
/** How long the attacker listens to a server that says nothing. */
const SILENCE_MS = 150;
const GIVE_UP_MS = 20_000;
const SERVER = fileURLToPath(new URL("server.ts", import.meta.url));

export async function startVictim(url: string, secret: string): Promise<Victim> {
  const flags = [`--max-old-space-size=${HEAP_MB}`, "--expose-gc"];
  const tsx = ["--import", import.meta.resolve("tsx")];
  const child = spawn(process.execPath, [...flags, ...tsx, SERVER, url, secret], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return {
    send: (request) => send(port, request),
    ask: (question) => ask(child, question),
    ended: () => child.exitCode ?? child.signalCode,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function ask(child: ChildProcess, question: Question): Promise<Measure> {
  const answer = once(child, "message");
  child.send(question);
  const [measure] = (await answer) as [Measure];
  return measure;
}

function send(port: number, { head, body, cut }: HostileRequest): Promise<HostileAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(toAnswer(Buffer.concat(chunks), sizeBytes));
    };
    const timer = setTimeout(finish, cut === undefined ? GIVE_UP_MS : SILENCE_MS);
    socket.on("data", (chunk) => {
      sizeBytes += chunk.byteLength;
      if (chunks.length < 100) chunks.push(chunk);
    });
    // A server that has answered closes while the attacker still writes: what it said has arrived all the same.
    socket.on("error", () => undefined);
    socket.on("close", finish);
    socket.on("connect", () => {
      socket.write(head, "latin1");
      if (body !== undefined) socket.write(body);
      if (cut === "gone") setTimeout(() => socket.destroy(), 5);
    });
  });
}

function toAnswer(bytes: Buffer, sizeBytes: number): HostileAnswer {
  const text = bytes.toString("utf8");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  return { status, sizeBytes, text };
}
