/** Every name that the packages publish, by entry, as the compiler knows it. */
import { join } from "node:path";
import { API, type Checker, type JSDocTagInfo, type Symbol } from "typescript/unstable/sync";
import { toSignature } from "./declared-signature.ts";
import { listPublicSources, loadPublishedPackages, type PublicSource } from "./package-exports.ts";
import { ROOT } from "./project-files.ts";

/** An exported name. */
export interface PublicName {
  readonly name: string;
  /** Of the declaration: a name that stands in two entries has one. */
  readonly id: number;
  /** Its doc comment, without tags. Empty: it has none. */
  readonly hoverText: string;
  /** `@throws`, `@default` and the like. */
  readonly tags: readonly JSDocTagInfo[];
  /** Its declaration in TypeScript; overloads one below another. */
  readonly signature: () => string;
}

/** What one specifier gives. */
export interface PublicEntry {
  readonly specifier: string;
  readonly packageName: string;
  /** For tests, and for authors of adapters and stores: counted apart. What they need of the engine is in `drive` and `deploy`. */
  readonly isKit: boolean;
  /** The `@module` line of its file. Empty: it has none. */
  readonly about: string;
  readonly names: readonly PublicName[];
}

/** Calls back with all entries, while the compiler that knows them runs. */
export function withPublicEntries<T>(use: (entries: readonly PublicEntry[]) => T): T {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] });
    const [project] = snapshot.getProjects();
    if (project === undefined) throw new RangeError("tsconfig.json is no project");
    const { checker, program } = project;
    const readEntry = (packageName: string, { specifier, path }: PublicSource): PublicEntry => {
      const file = program.getSourceFile(join(ROOT, path));
      const module = file && checker.getSymbolAtLocation(file);
      if (module === undefined) throw new RangeError(`${specifier} is no module`);
      const isKit = /\/(?:testing|scenario|drive|deploy)|adapter-contract/.test(specifier);
      const about = readModuleComment(file?.text ?? "");
      return { specifier, packageName, isKit, about, names: readNames(checker, module) };
    };
    const entries = loadPublishedPackages().flatMap((owner) =>
      listPublicSources(owner).map((source) => readEntry(owner.manifest.name, source)),
    );
    return use(entries);
  } finally {
    api.close();
  }
}

function readModuleComment(text: string): string {
  const comment = /^\/\*\*(?<comment>.*?)\*\//s.exec(text)?.groups?.["comment"] ?? "";
  if (!comment.includes("@module")) return "";
  return comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replace("@module", "")
    .trim();
}

function readNames(checker: Checker, module: Symbol): readonly PublicName[] {
  return checker.getExportsOfModule(module).map((symbol) => {
    const declared = symbol.flags & ALIAS ? checker.getAliasedSymbol(symbol) : symbol;
    return {
      name: symbol.name,
      id: declared.id,
      hoverText: declared.getDocumentationComment(checker),
      tags: declared.getJsDocTags(checker),
      signature: () => readSignature(declared),
    };
  });
}

/** `SymbolFlags.Alias`: the name is declared elsewhere. */
const ALIAS = 2_097_152;

function readSignature({ declarations }: Symbol): string {
  const nodes = declarations.map((handle) => handle.resolve());
  const texts = nodes.map((node) => (node === undefined ? "" : toSignature(node)));
  return texts.filter((text) => text !== "").join("\n");
}
