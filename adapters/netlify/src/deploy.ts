/** The configuration and commands for Netlify, as data: nothing is read or written here. */
import {
  assertOption,
  assertPlatformOptions,
  type Deployment,
  isPlainCron,
} from "@escapement/engine/adapter";

/** Options of the site's folders, its schedule and its secrets. */
export interface DeployOptions {
  /**
   * Names the three files in the functions directory, without their endings: `<name>`, `<name>-cron` and
   * `<name>-background`; 1–40 letters, digits, `-` and `_`. @default "workflows"
   */
  readonly name?: string;
  /** Relative to the site's folder, and outside of `publishDirectory`. @default "netlify/functions" */
  readonly functionsDirectory?: string;
  /** The folder that the site serves. It must exist, and may be empty. @default "public" */
  readonly publishDirectory?: string;
  /** A command that each build runs, for example to migrate the tables. @default none */
  readonly buildCommand?: string;
  /** Five cron fields, in UTC. Work whose call was lost waits for it. @default "* * * * *" */
  readonly schedule?: string;
  /** Names of the secrets to set for production. @default ["DATABASE_URL", "TICK_SIGNING_KEY"] */
  readonly secretNames?: readonly string[];
}

export type { Deployment } from "@escapement/engine/adapter";

const FOLDER = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;
const OPTIONS: Readonly<Record<keyof DeployOptions, 1>> = {
  name: 1,
  functionsDirectory: 1,
  publishDirectory: 1,
  buildCommand: 1,
  schedule: 1,
  secretNames: 1,
};
const A_FOLDER = 'a path in the site such as "netlify/functions", without spaces';
const SECRET = /^[A-Z_][A-Z0-9_]{0,127}$/;
/**
 * Returns `netlify.toml` and the commands that deploy it, always the same for the same options.
 *
 * Set the variables that the functions read as environment variables of the site: variables in `netlify.toml` do not reach functions,
 * https://docs.netlify.com/build/functions/environment-variables/, read 2026-11.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function deploy(options: DeployOptions = {}): Deployment {
  assertPlatformOptions(options, OPTIONS, "deploy");
  const { name = "workflows", functionsDirectory = "netlify/functions", buildCommand } = options;
  const { publishDirectory = "public", schedule = "* * * * *" } = options;
  const { secretNames = ["DATABASE_URL", "TICK_SIGNING_KEY"] } = options;
  const isName = /^[\w-]{1,40}$/.test(name) && !name.endsWith("-background");
  assertOption("name", isName, "1 to 40 letters, digits, - and _, without -background at the end");
  assertOption("functionsDirectory", FOLDER.test(functionsDirectory), A_FOLDER);
  assertOption("publishDirectory", FOLDER.test(publishDirectory), A_FOLDER);
  // Otherwise Netlify would serve the functions' sources.
  const isOutside = !`${functionsDirectory}/`.startsWith(`${publishDirectory}/`);
  assertOption("functionsDirectory", isOutside, "a folder outside of `publishDirectory`");
  const isLine = buildCommand === undefined || /^[\x20-\x7e]+$/.test(buildCommand);
  assertOption("buildCommand", isLine, "one line of printable ASCII");
  assertOption("schedule", isPlainCron(schedule), 'five cron fields such as "* * * * *"');
  const areNames = secretNames.every((secret) => SECRET.test(secret));
  assertOption("secretNames", areNames, "names such as API_TOKEN");
  // For the characters that options may contain, a JSON string is also a TOML string.
  const command = buildCommand === undefined ? "" : `command = ${JSON.stringify(buildCommand)}\n`;
  const text = `[build]
${command}publish = "${publishDirectory}"

[functions]
directory = "${functionsDirectory}"

[functions."${name}-cron"]
schedule = "${schedule}"
`;
  return {
    files: [{ path: "netlify.toml", text }],
    commands: [
      // A secret needs a context other than development: `netlify-cli` 23.1.4, env-set.js, read 2026-11.
      ...secretNames.map((key) => `netlify env:set ${key} "$${key}" --context production --secret`),
      "netlify deploy --prod",
    ],
  };
}
