/** What is seen while the demo runs: one line rewritten on a terminal, a plain line now and then elsewhere. */
import type { Census } from "./census.ts";

export interface Progress {
  readonly census: Census;
  readonly total: number;
  readonly charges: number;
  readonly requests: number;
  readonly approved: number;
  readonly largeCount: number;
  readonly kills: number;
  readonly isWorkerUp: boolean;
}

export interface Display {
  /** Something worth a line of its own. */
  tell(text: string): void;
  show(progress: Progress): void;
  /** Ends the rewritten line. */
  end(): void;
}

/** Where there is no terminal: milliseconds between two lines. */
const PLAIN_EVERY_MS = 2000;
const BAR_WIDTH = 24;

export function createDisplay(output: NodeJS.WriteStream, startedAt: number): Display {
  const isTerminal = output.isTTY;
  let lastLine = "";
  let lastPlainAt = 0;
  const seconds = (): string => `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`;
  const clear = (): string => (lastLine === "" ? "" : "\r\x1b[2K");
  return {
    tell: (text) => {
      if (isTerminal) output.write(`${clear()}${seconds()}  ${text}\n${lastLine}`);
      else output.write(`${seconds()}  ${text}\n`);
    },
    show: (progress) => {
      const line = `${seconds()}  ${toLine(progress)}`;
      if (isTerminal) {
        const erase = clear();
        // A line that wraps could not be rewritten.
        lastLine = line.slice(0, (output.columns || 80) - 1);
        output.write(erase + lastLine);
      } else if (Date.now() - lastPlainAt >= PLAIN_EVERY_MS) {
        lastPlainAt = Date.now();
        output.write(`${line}\n`);
      }
    },
    end: () => {
      if (isTerminal && lastLine !== "") output.write("\n");
      lastLine = "";
    },
  };
}

function toLine(progress: Progress): string {
  const { census, total, charges, requests, approved, largeCount, kills, isWorkerUp } = progress;
  const filled = Math.round((BAR_WIDTH * census.complete) / total);
  const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
  const parts = [
    `${bar} ${census.complete}/${total} done`,
    `${charges} charged (${requests} requests)`,
    `${approved}/${largeCount} approved`,
    `${kills} ${kills === 1 ? "kill" : "kills"}`,
  ];
  if (census.failed > 0) parts.push(`${census.failed} FAILED`);
  if (!isWorkerUp) parts.push("no worker");
  return parts.join(" · ");
}
