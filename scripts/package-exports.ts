/** What the packages publish: entries, and how the published `exports` follow from the source `exports`. */
import { posix } from "node:path";
import { listFiles, readProjectFile } from "./project-files.ts";

/** The part of a `package.json` that the checks read. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports?: unknown };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A workspace package that is published. */
export interface PublishedPackage {
  /** Path in the repository, for instance `packages/db`. */
  readonly folder: string;
  readonly manifest: PackageManifest;
}

/** Published packages, each after those that it depends on. */
export function loadPublishedPackages(): readonly PublishedPackage[] {
  const found = listFiles((path) => /^(packages|adapters)\/[^/]+\/package\.json$/.test(path))
    .map((path) => ({
      folder: path.slice(0, path.lastIndexOf("/")),
      manifest: JSON.parse(readProjectFile(path)) as PackageManifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
  return sortByDependency(found);
}

function sortByDependency(found: readonly PublishedPackage[]): PublishedPackage[] {
  const byName = new Map(found.map((entry) => [entry.manifest.name, entry]));
  const sorted = new Set<PublishedPackage>();
  const visit = (entry: PublishedPackage): void => {
    for (const name of Object.keys(entry.manifest.dependencies ?? {})) {
      const dependency = byName.get(name);
      if (dependency !== undefined && !sorted.has(dependency)) visit(dependency);
    }
    sorted.add(entry);
  };
  for (const entry of found) visit(entry);
  return [...sorted];
}

/** Published `exports`: the compiled file and its types in the place of each source file. */
export function toPublishedExports(
  sources: Readonly<Record<string, string>>,
): Record<string, { types: string; default: string }> {
  return Object.fromEntries(
    Object.entries(sources).map(([entry, source]) => {
      const compiled = source.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, "");
      return [entry, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
}

/** An entry for users: what they import, and its source in the repository. */
export interface PublicSource {
  readonly specifier: string;
  readonly path: string;
}

/** What our packages share; nobody else is promised anything of it. */
const INTERNAL_ENTRIES: ReadonlySet<string> = new Set([
  "./internal",
  "./internal/values",
  "./http/internal",
]);

/** The entries of a package that are for users, in the order of its manifest. */
export function listPublicSources({ folder, manifest }: PublishedPackage): PublicSource[] {
  return Object.entries(manifest.exports ?? {})
    .filter(([entry]) => !INTERNAL_ENTRIES.has(entry))
    .map(([entry, source]) => ({
      specifier: toSpecifier(manifest.name, entry),
      path: posix.join(folder, source),
    }));
}

/** Specifier by which users import an entry: `@escapement/db` and `./pg` give `@escapement/db/pg`. */
export function toSpecifier(packageName: string, entry: string): string {
  return entry === "." ? packageName : `${packageName}${entry.slice(1)}`;
}
