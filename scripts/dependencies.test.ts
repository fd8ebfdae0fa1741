/** The page of dependencies and the manifests say the same. */
import { expect, test } from "vitest";
import { listFiles, readProjectFile } from "./project-files.ts";

const SECTIONS = [
  "dependencies",
  "devDependencies",
  "peerDependencies",
  "optionalDependencies",
] as const;
type Manifest = Readonly<Partial<Record<(typeof SECTIONS)[number], Readonly<object>>>>;

// Projects that `create-escapement` makes choose among what the examples have.
const MANIFEST = /^(?!packages\/create-escapement\/templates\/)(?:.+\/)?package\.json$/;

const inManifests = new Set(
  listFiles((path) => MANIFEST.test(path))
    .map((path) => JSON.parse(readProjectFile(path)) as Manifest)
    .flatMap((manifest) => SECTIONS.flatMap((section) => Object.keys(manifest[section] ?? {})))
    .filter((name) => !name.startsWith("@escapement")),
);

const onPage = new Set(
  readProjectFile("docs/dependencies.md")
    .split("\n")
    .flatMap((line) => /^\| (?<what>[^|]+)\|/.exec(line)?.groups?.["what"] ?? [])
    .flatMap((what) => what.match(/(?<=`)[^`, ]+(?=`)/g) ?? []),
);

test("every package that a manifest names is on the page of dependencies, and no other", () => {
  expect([...onPage].toSorted()).toEqual([...inManifests].toSorted());
});
