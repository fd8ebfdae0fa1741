#!/usr/bin/env node
/** `escapement`: see and steer durable workflows from a shell. */
import { run } from "./program.ts";

// A reader that leaves, as `head` does, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const code = await run(process.argv.slice(2));
// What the user's module has opened beside its engine does not keep the command.
process.stdout.write("", () => process.exit(code));
