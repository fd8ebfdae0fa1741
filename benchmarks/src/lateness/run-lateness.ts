/** `npm run bench -- --lateness`: real naps first, since the virtual clock takes this process's own away. */
import { measureLateness, SLEEPS } from "./measure-lateness.ts";
import { measureReal } from "./real/measure-real.ts";
import { toLatenessJson, toLatenessTable } from "./report-lateness.ts";

export interface LatenessOptions {
  /** Sleeps of each length on each path, by the virtual clock. */
  readonly samples: number;
  /** Also real sleeps of 5 s and 90 s, so many of each; 0: none. */
  readonly realSamples: number;
  readonly json: boolean;
  readonly say: (message: string) => void;
}

export async function runLateness(options: LatenessOptions): Promise<string> {
  const { samples, realSamples, json, say } = options;
  const { "20 min": _tooLong, ...shortEnough } = SLEEPS;
  if (realSamples > 0) say("real sleeps, about two minutes");
  const real =
    realSamples > 0 ? await measureReal(shortEnough, { samples: realSamples, say }) : null;
  say("virtual sleeps");
  const results = { virtual: await measureLateness(samples), real };
  return json ? toLatenessJson(results) : toLatenessTable(results);
}
