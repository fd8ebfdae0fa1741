#!/usr/bin/env node
/** `escapement`: inspect and control durable workflows from a shell. */
import { run } from "./program.ts";
import { keepOutputError } from "./standard-output.ts";

keepOutputError();
const code = await run(process.argv.slice(2));
// What the user's module has opened besides its engine must not keep the process alive.
process.stdout.write("", () => process.exit(code));
