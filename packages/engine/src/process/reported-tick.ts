/** Runs a tick and tells listeners about it. */
import type { TickInput, TickOutput } from "../ports/tick.ts";
import { runTick, type TickOptions } from "./tick.ts";

/** Like `runTick`. */
export async function runReportedTick(options: TickOptions, input: TickInput): Promise<TickOutput> {
  const { lifecycle, host } = options.context;
  const begunMs = host.elapsedMs();
  lifecycle.tell?.({ kind: "tickBegun" });
  let output: TickOutput | null = null;
  try {
    output = await runTick(options, input);
    return output;
  } finally {
    lifecycle.tell?.({ kind: "tickEnded", output, elapsedMs: host.elapsedMs() - begunMs });
  }
}
