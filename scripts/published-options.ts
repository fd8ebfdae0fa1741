/** Options that published names take, and that no entry gives by name: nobody has to write it. */
import type { Checker, Symbol } from "typescript/unstable/sync";
import type { Node } from "typescript/unstable/ast";
import {
  isBlock,
  isExpressionWithTypeArguments,
  isTypeReferenceNode,
} from "typescript/unstable/ast/is";

/** `SymbolFlags`: a class, an interface or the alias of a type; a name that stands for another. */
const TYPE = 32 | 64 | 524_288;
const ALIAS = 2_097_152;

const OPTIONS = /(?:Options|Config|Limits)$|^Host$/;

/** Each once, in the order in which they are met. Those that `isPublished` are left out, and are not looked into. */
export function findOptions(
  checker: Checker,
  from: readonly Symbol[],
  isPublished: (symbol: Symbol) => boolean,
): Symbol[] {
  const found = new Map<number, Symbol>();
  const queue = [...from];
  for (let symbol = queue.shift(); symbol !== undefined; symbol = queue.shift()) {
    for (const mentioned of listMentioned(checker, symbol)) {
      if (found.has(mentioned.id) || isPublished(mentioned)) continue;
      found.set(mentioned.id, mentioned);
      queue.push(mentioned);
    }
  }
  return [...found.values()];
}

function listMentioned(checker: Checker, { declarations }: Symbol): Symbol[] {
  return declarations
    .flatMap((handle) => listReferences(handle.resolve()))
    .flatMap((reference) => {
      const symbol = checker.getSymbolAtLocation(reference);
      if (symbol === undefined) return [];
      return [symbol.flags & ALIAS ? checker.getAliasedSymbol(symbol) : symbol];
    })
    .filter((symbol) => OPTIONS.test(symbol.name) && (symbol.flags & TYPE) !== 0 && isOurs(symbol));
}

/** The names of types in a declaration, but for what bodies of functions mention. */
function listReferences(node: Node | undefined): Node[] {
  if (node === undefined || isBlock(node)) return [];
  const inside: Node[] = [];
  node.forEachChild((child) => void inside.push(...listReferences(child)));
  if (isTypeReferenceNode(node)) inside.push(node.typeName);
  if (isExpressionWithTypeArguments(node)) inside.push(node.expression);
  return inside;
}

function isOurs({ declarations }: Symbol): boolean {
  const path = declarations[0]?.path ?? "";
  return /\/(?:packages|adapters)\/[^/]+\/src\//.test(path);
}
