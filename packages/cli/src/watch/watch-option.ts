/** The option `--watch [seconds]`, and its effect on a verb. */
import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError, Option } from "commander";
import { hideSecrets } from "../hide-token.ts";
import { toPlainText } from "../plain-text.ts";
import type { Session } from "../session.ts";
import { createScreen } from "./screen.ts";
import { type Look, watch } from "./watch.ts";

const DEFAULT_SECONDS = 2;
const MAX_SECONDS = 3600;

/** The option for verbs that show something. */
export const watchOption = (): Option =>
  new Option(
    "--watch [seconds]",
    `look again every ${DEFAULT_SECONDS} seconds, or as many as you say, until Ctrl-C`,
  ).argParser(toSeconds);

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`Expected seconds, from 1 to ${MAX_SECONDS}.`);
}

/** Prints one look, or with `--watch` one after another. @param every in seconds; true: the default; absent: one look */
export async function showLooks(
  session: Session,
  every: number | true | undefined,
  look: () => Promise<Look>,
): Promise<void> {
  if (every === undefined) {
    const { answer, text } = await look();
    session.print(answer, () => text);
    return;
  }
  const seconds = every === true ? DEFAULT_SECONDS : every;
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGINT", end);
  // A reader that leaves, as `head` does, ends it too.
  process.stdout.once("error", end);
  const screen = createScreen(session, seconds);
  try {
    await watch(look, {
      seconds,
      signal: stop.signal,
      show: screen.show,
      tell: (error, waitMs) => {
        const line = `escapement: ${error.code}: ${error.message} Next look in ${waitMs / 1000} s.`;
        process.stderr.write(`${hideSecrets(toPlainText(line), session.secrets)}\n`);
      },
      wait: (milliseconds) =>
        sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined),
    });
  } finally {
    process.removeListener("SIGINT", end);
    process.stdout.removeListener("error", end);
  }
}
