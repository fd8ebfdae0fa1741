/** What each question of the pages takes by itself, with nothing else going on. */
import type { ProcessorClock } from "../processor-time.ts";
import { API, type Tally } from "./polls.ts";

const WARM_UP = 50;
const SAMPLES = 200;

/** Milliseconds on processors of one answer that is made anew, of this process and of the database's server, by question. */
export async function measureQuestions(
  answer: (request: Request) => Promise<Response>,
  server: ProcessorClock | null,
  { byQuestion }: Tally,
): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number>();
  for (const [question, { path }] of byQuestion) {
    let cpuBefore = process.cpuUsage();
    let serverBefore = 0;
    for (let sample = 0; sample < WARM_UP + SAMPLES; sample += 1) {
      if (sample === WARM_UP) [cpuBefore, serverBefore] = [process.cpuUsage(), server?.() ?? 0];
      await (await answer(new Request(`${API}${toFresh(path, sample)}`))).arrayBuffer();
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const serverMs = (server?.() ?? 0) - serverBefore;
    costs.set(question, ((user + system) / 1000 + serverMs) / SAMPLES);
  }
  return costs;
}

/** Lists are shared for a second: each of them is another one. */
const toFresh = (path: string, sample: number): string =>
  path.startsWith("/instances")
    ? `${path}${path.includes("?") ? "&" : "?"}updatedFrom=${sample}`
    : path;
