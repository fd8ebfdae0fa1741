/** Node: the one that runs the relay. */
import { type Hop, startProgram } from "./hop.ts";
import { HERE, runnerFile } from "./runners.ts";

export const node: Hop = {
  name: "node",
  missing: () => null,
  start: ({ settings }) =>
    startProgram({
      command: process.execPath,
      args: ["--import", import.meta.resolve("tsx"), runnerFile("node")],
      cwd: HERE,
      settings,
    }),
};
