/** What it takes to keep a Node process running, as data: nothing is read and nothing is written here. */
import { WorkflowError } from "@escapement/engine/errors";

export interface DeployOptions {
  /** What keeps the process running. */
  readonly target: "systemd" | "docker" | "procfile";
  /** Name of the service: 1–60 lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The program, relative to the application's folder. @default "dist/main.js" */
  readonly entry?: string;
  /** The application's absolute folder, for systemd. @default `/srv/<name>` */
  readonly folder?: string;
  /** The scheduler's `graceMs`; the service manager waits 10 seconds longer before it kills. @default 10000 @minimum 0 */
  readonly graceMs?: number;
}

/** A file to write, by its path in the project. */
export interface DeployFile {
  readonly path: string;
  readonly text: string;
}

export interface Deployment {
  readonly files: readonly DeployFile[];
  /** What to run once the files are in place, one after another. */
  readonly commands: readonly string[];
}

/** Oldest Node line that this package runs on, for the container's base image. */
const NODE_MAJOR = 20;

/**
 * The files and commands of a target. Give it the same options and it gives the same text.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function deploy(options: DeployOptions): Deployment {
  const { name, entry = "dist/main.js", folder = `/srv/${name}`, graceMs = 10_000 } = options;
  demand("name", /^[a-z0-9][a-z0-9-]{0,59}$/.test(name));
  // These end up in a unit file and in shell words: nothing there may need quoting.
  demand("entry", /^[\w.-]+(\/[\w.-]+)*$/.test(entry));
  demand("folder", /^(\/[\w.-]+)+$/.test(folder));
  demand("graceMs", Number.isFinite(graceMs) && graceMs >= 0);
  const checked = { name, entry, folder, stopSeconds: Math.ceil(graceMs / 1000) + 10 };
  const target = Object.hasOwn(TARGETS, options.target) ? TARGETS[options.target] : undefined;
  if (target === undefined) throw invalid("target");
  return target(checked);
}

interface CheckedOptions {
  readonly name: string;
  readonly entry: string;
  readonly folder: string;
  readonly stopSeconds: number;
}

const TARGETS: Readonly<Record<DeployOptions["target"], (options: CheckedOptions) => Deployment>> =
  {
    systemd: ({ name, entry, folder, stopSeconds }) => ({
      files: [
        {
          path: `${name}.service`,
          text: `[Unit]
Description=${name}
After=network-online.target
Wants=network-online.target

[Service]
WorkingDirectory=${folder}
EnvironmentFile=-/etc/${name}.env
ExecStart=/usr/bin/env node ${entry}
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
    docker: ({ name, entry, stopSeconds }) => ({
      files: [
        {
          path: "Dockerfile",
          text: `FROM node:${NODE_MAJOR}-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY . .
USER node
STOPSIGNAL SIGTERM
CMD ["node", "${entry}"]
`,
        },
      ],
      commands: [
        `docker build -t ${name} .`,
        `docker run -d --init --restart=always --stop-timeout=${stopSeconds} --env-file .env --name ${name} ${name}`,
      ],
    }),
    procfile: ({ entry }) => ({
      files: [{ path: "Procfile", text: `worker: node ${entry}\n` }],
      commands: [],
    }),
  };

function demand(option: string, holds: boolean): void {
  if (!holds) throw invalid(option);
}

const invalid = (option: string): WorkflowError =>
  new WorkflowError("DEPLOY_OPTIONS_INVALID", `the deploy option "${option}" is not usable`, {
    option,
  });
