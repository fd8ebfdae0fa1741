#!/usr/bin/env node
/** `escapement`: see and steer durable workflows from a shell. */
import { run } from "./program.ts";
import { keepOutputError } from "./standard-output.ts";

keepOutputError();
const code = await run(process.argv.slice(2));
// What the user's module has opened beside its engine does not keep the command.
process.stdout.write("", () => process.exit(code));
