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
  // What was done makes a dashboard forget what it has in common for all pages.
  const forget = (): Promise<Response> =>
    answer(new Request(`${API}/workflows/watched/instances/nobody/pause`, { method: "POST" }));
  for (const [question, { path }] of byQuestion) {
    let sumMs = 0;
    for (let sample = 0; sample < WARM_UP + SAMPLES; sample += 1) {
      await forget();
      const [cpuBefore, serverBefore] = [process.cpuUsage(), server?.() ?? 0];
      await (await answer(new Request(`${API}${path}`))).arrayBuffer();
      const { user, system } = process.cpuUsage(cpuBefore);
      if (sample >= WARM_UP) sumMs += (user + system) / 1000 + (server?.() ?? 0) - serverBefore;
    }
    costs.set(question, sumMs / SAMPLES);
  }
  return costs;
}
