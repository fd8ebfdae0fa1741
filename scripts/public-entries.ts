/** Every name that the packages publish, by entry, as the compiler knows it. */
import { join } from "node:path";
import { API, type Checker, type JSDocTagInfo, type Symbol } from "typescript/unstable/sync";
import { toSignature } from "./declared-signature.ts";
import { listPublicSources, loadPublishedPackages } from "./package-exports.ts";
import { ROOT } from "./project-files.ts";
import { findOptions } from "./published-options.ts";

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
  /** For tests, and for authors of adapters and of database clients: counted apart. */
  readonly isKit: boolean;
  /** Types that the compiler writes into declarations; users seldom do: counted apart. */
  readonly isForDeclarations: boolean;
  /** The `@module` line of its file. Empty: it has none. */
  readonly about: string;
  readonly names: readonly PublicName[];
  /** Records of options that they take, and that no entry gives by name. */
  readonly options: readonly PublicName[];
}

/** Entries for tests, and for authors of adapters and of database clients. */
const KIT = /\/(?:testing(?:\/[\w-]+)?|scenario|adapter|db\/client)$|adapter-contract/;

/** Calls back with all entries, while the compiler that knows them runs. */
export function withPublicEntries<T>(use: (entries: readonly PublicEntry[]) => T): T {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] });
    const [project] = snapshot.getProjects();
    if (project === undefined) throw new RangeError("tsconfig.json is no project");
    const { checker, program } = project;
    const modules = loadPublishedPackages().flatMap((owner) =>
      listPublicSources(owner).map(({ specifier, path }) => {
        const file = program.getSourceFile(join(ROOT, path));
        const module = file && checker.getSymbolAtLocation(file);
        if (module === undefined) throw new RangeError(`${specifier} is no module`);
        const about = readModuleComment(file?.text ?? "");
        const exported = readExports(checker, module);
        return { specifier, packageName: owner.manifest.name, about, exported };
      }),
    );
    const published = new Set(
      modules.flatMap(({ exported }) => exported.map(({ declared }) => declared.id)),
    );
    const readEntry = ({ exported, ...module }: (typeof modules)[number]): PublicEntry => {
      const symbols = exported.map(({ declared }) => declared);
      const options = findOptions(checker, symbols, ({ id }) => published.has(id));
      return {
        ...module,
        isKit: KIT.test(module.specifier),
        isForDeclarations: module.specifier.endsWith("/types"),
        names: exported.map(({ name, declared }) => toPublicName(checker, name, declared)),
        options: options.map((symbol) => toPublicName(checker, symbol.name, symbol)),
      };
    };
    return use(modules.map(readEntry));
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

interface Exported {
  readonly name: string;
  /** What the name stands for, wherever that is declared. */
  readonly declared: Symbol;
}

function readExports(checker: Checker, module: Symbol): readonly Exported[] {
  return checker.getExportsOfModule(module).map((symbol) => ({
    name: symbol.name,
    declared: symbol.flags & ALIAS ? checker.getAliasedSymbol(symbol) : symbol,
  }));
}

const toPublicName = (checker: Checker, name: string, declared: Symbol): PublicName => ({
  name,
  id: declared.id,
  hoverText: declared.getDocumentationComment(checker),
  tags: declared.getJsDocTags(checker),
  signature: () => readSignature(declared),
});

/** `SymbolFlags.Alias`: the name is declared elsewhere. */
const ALIAS = 2_097_152;

function readSignature({ declarations }: Symbol): string {
  const nodes = declarations.map((handle) => handle.resolve());
  const texts = nodes.map((node) => (node === undefined ? "" : toSignature(node)));
  return texts.filter((text) => text !== "").join("\n");
}
