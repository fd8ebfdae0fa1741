/** What it takes to run on Netlify, as data: nothing is read and nothing is written here. */
import { demandOption, type Deployment } from "@escapement/engine/deploy";

export interface DeployOptions {
  /**
   * Names the three files in the functions directory, without their endings: `<name>`, `<name>-cron` and
   * `<name>-background`; 1–40 letters, digits, `-` and `_`. @default "workflows"
   */
  readonly name?: string;
  /** Relative to the site's folder, and outside of `publishDirectory`. @default "netlify/functions" */
  readonly functionsDirectory?: string;
  /** What is served as it is; it must be there, and may be empty. @default "public" */
  readonly publishDirectory?: string;
  /** Run by each build, for instance to bring the schema up to date. @default none */
  readonly buildCommand?: string;
  /** Five fields of cron, UTC, no finer than a minute. Work that nobody told of waits for it. @default "* * * * *" */
  readonly schedule?: string;
  /** Names of the secrets to set for production. @default ["DATABASE_URL", "TICK_SIGNING_KEY"] */
  readonly secretNames?: readonly string[];
}

export type { DeployFile, Deployment } from "@escapement/engine/deploy";

const FOLDER = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;
const SECRET = /^[A-Z_][A-Z0-9_]{0,127}$/;
/** Lowest and highest value of each field of a schedule. */
const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/**
 * `netlify.toml` and the commands that deploy it. Give it the same options and it gives the same text.
 *
 * What the functions read must be set as environment variables of the site: those of `netlify.toml` do not reach them,
 * https://docs.netlify.com/build/functions/environment-variables/, read 2026-11.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function deploy(options: DeployOptions = {}): Deployment {
  const {
    name = "workflows",
    functionsDirectory = "netlify/functions",
    buildCommand,
    ...rest
  } = options;
  const { publishDirectory = "public", schedule = "* * * * *", ...others } = rest;
  const { secretNames = ["DATABASE_URL", "TICK_SIGNING_KEY"], ...unknown } = others;
  for (const option of Object.keys(unknown)) demandOption(option, false);
  demandOption("name", /^[\w-]{1,40}$/.test(name) && !name.endsWith("-background"));
  demandOption("functionsDirectory", FOLDER.test(functionsDirectory));
  demandOption("publishDirectory", FOLDER.test(publishDirectory));
  // Else Netlify would serve the functions' sources.
  const isOutside = !`${functionsDirectory}/`.startsWith(`${publishDirectory}/`);
  demandOption("functionsDirectory", isOutside);
  demandOption("buildCommand", buildCommand === undefined || /^[\x20-\x7e]+$/.test(buildCommand));
  demandOption("schedule", isSchedule(schedule));
  for (const secret of secretNames) demandOption("secretNames", SECRET.test(secret));
  // In the range that options may have, what JSON quotes TOML reads.
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
      // A secret needs a context that is not development: `netlify-cli` 23.1.4, env-set.js, read 2026-11.
      ...secretNames.map((key) => `netlify env:set ${key} "$${key}" --context production --secret`),
      "netlify deploy --prod",
    ],
  };
}

/** Five fields and no more: six would be seconds, and what begins with `@` is not all supported. */
function isSchedule(schedule: string): boolean {
  const fields = schedule.split(" ");
  return fields.length === FIELDS.length && FIELDS.every((range, at) => isField(fields[at], range));
}

function isField(field: string = "", [lowest, highest]: readonly [number, number]): boolean {
  const isIn = (value: string): boolean => Number(value) >= lowest && Number(value) <= highest;
  return field.split(",").every((item) => {
    const [, range = "", step = "1"] =
      /^(\*|\d{1,2}(?:-\d{1,2})?)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
    const [from = "", to = from] = range.split("-");
    const isRange = range === "*" || (range !== "" && isIn(from) && isIn(to) && +from <= +to);
    return isRange && Number(step) >= 1 && Number(step) <= highest;
  });
}
