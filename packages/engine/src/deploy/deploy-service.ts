/** The files and commands that keep a process running, as data: nothing is read or written here. */
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";

/** The service's name, its program, and its shutdown. */
export interface ServiceOptions {
  /** The tool that keeps the process running. */
  readonly target: "systemd" | "docker" | "procfile";
  /** Name of the service: 1–60 lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The program, relative to the application's folder. @default the runtime's */
  readonly entry?: string;
  /** Its arguments, each without spaces and quotes, for instance `["start"]`. @default none */
  readonly args?: readonly string[];
  /**
   * For a program that reads files of `folder` by relative paths: under systemd it runs there, where it cannot write. It may
   * write to `/var/lib/<name>`, where other programs run. In a container every program runs in its folder. @default false
   */
  readonly runsInFolder?: boolean;
  /** The application's absolute folder, for systemd. @default `/srv/<name>` */
  readonly folder?: string;
  /** The scheduler's `graceMs`; the service manager waits 10 seconds longer before it kills. @default 10000 @minimum 0 */
  readonly graceMs?: number;
}

/** How programs are run and installed. The texts are trusted. */
export interface ServiceRuntime {
  /** The command, found on the path, for instance `node`. */
  readonly command: string;
  /** The program, if the options do not name one. */
  readonly entry: string;
  /** The container's base image. */
  readonly image: string;
  /** The image's user without privileges. */
  readonly user: string;
  readonly lockfile: string;
  /** Installs the packages of the lockfile, without development packages. */
  readonly install: string;
}

/** A file to write, by its path in the project. */
export interface DeployFile {
  readonly path: string;
  readonly text: string;
}

/** Files to write and commands to run, in order. */
export interface Deployment {
  readonly files: readonly DeployFile[];
  /** The commands to run once the files are in place, one after another. */
  readonly commands: readonly string[];
}

const SERVICE_OPTIONS: Readonly<Record<keyof ServiceOptions, 1>> = {
  target: 1,
  name: 1,
  entry: 1,
  args: 1,
  runsInFolder: 1,
  folder: 1,
  graceMs: 1,
};

/**
 * The files and commands for a target. The same options give the same text.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function deployService(options: ServiceOptions, runtime: ServiceRuntime): Deployment {
  assertKnownOptions("deploy", options, SERVICE_OPTIONS);
  const { name, entry = runtime.entry, args = [], runsInFolder = false } = options;
  const { folder = `/srv/${name}`, graceMs = 10_000 } = options;
  const isName = typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,59}$/.test(name);
  assertOption("name", isName, "1 to 60 lower-case letters, digits and hyphens");
  // These are written into a unit file and into shell commands, where nothing may need quoting.
  const file = 'a path in the folder such as "dist/main.js", without spaces';
  assertOption("entry", /^[\w.@-]+(\/[\w.@-]+)*$/.test(entry), file);
  const areWords = Array.isArray(args) && args.every((word) => /^[\w./:=@,-]+$/.test(word));
  assertOption("args", areWords, 'a list of words such as ["start"], without spaces');
  assertOption("runsInFolder", typeof runsInFolder === "boolean", "true or false");
  const path = 'an absolute path such as "/srv/orders", without spaces';
  assertOption("folder", /^(\/[\w.-]+)+$/.test(folder), path);
  assertOption("graceMs", Number.isFinite(graceMs) && graceMs >= 0, "milliseconds, 0 or more");
  const targets = Object.keys(TARGETS).join(", ");
  assertOption("target", Object.hasOwn(TARGETS, options.target), `one of ${targets}`);
  const stopSeconds = Math.ceil(graceMs / 1000) + 10;
  const cwd = runsInFolder ? folder : `%S/${name}`;
  return TARGETS[options.target]({ name, entry, args, folder, cwd, stopSeconds }, runtime);
}

/**
 * Refuses an option that cannot work.
 *
 * @param expected what it may be, for the message
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, naming the option, unless it holds
 */
export function assertOption(option: string, holds: boolean, expected: string): asserts holds {
  if (holds) return;
  const message = `the option "${option}" is not usable; expected ${expected}`;
  throw new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { option });
}

interface CheckedOptions {
  readonly name: string;
  readonly entry: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** Working directory of the unit. */
  readonly cwd: string;
  readonly stopSeconds: number;
}

type Target = (options: CheckedOptions, runtime: ServiceRuntime) => Deployment;

/** Keeps secrets, data, and packages that were installed on another machine out of an image. */
const DOCKERIGNORE = `.git
**/.env*
**/node_modules
**/*.db
**/*.db-*
`;

const TARGETS: Readonly<Record<ServiceOptions["target"], Target>> = {
  systemd: ({ name, entry, args, folder, cwd, stopSeconds }, { command }) => ({
    files: [
      {
        path: `${name}.service`,
        text: `[Unit]
Description=${name}
After=network-online.target
Wants=network-online.target

[Service]
WorkingDirectory=${cwd}
EnvironmentFile=-/etc/${name}.env
ExecStart=/usr/bin/env ${[command, `${folder}/${entry}`, ...args].join(" ")}
DynamicUser=yes
StateDirectory=${name}
Restart=always
RestartSec=1
KillSignal=SIGTERM
TimeoutStopSec=${stopSeconds}

[Install]
WantedBy=multi-user.target
`,
      },
    ],
    commands: [
      `install -m 644 ${name}.service /etc/systemd/system/`,
      "systemctl daemon-reload",
      `systemctl enable --now ${name}`,
    ],
  }),
  docker: ({ name, entry, args, stopSeconds }, { command, image, user, lockfile, install }) => ({
    files: [
      {
        path: "Dockerfile",
        text: `FROM ${image}
WORKDIR /app
COPY package.json ${lockfile} ./
RUN ${install}
COPY . .
USER ${user}
STOPSIGNAL SIGTERM
CMD [${[command, entry, ...args].map((word) => `"${word}"`).join(", ")}]
`,
      },
      { path: ".dockerignore", text: DOCKERIGNORE },
    ],
    commands: [
      `docker build -t ${name} .`,
      `docker run -d --init --restart=always --stop-timeout=${stopSeconds} --env-file .env --name ${name} ${name}`,
    ],
  }),
  procfile: ({ entry, args }, { command }) => ({
    files: [{ path: "Procfile", text: `worker: ${[command, entry, ...args].join(" ")}\n` }],
    commands: [],
  }),
};
