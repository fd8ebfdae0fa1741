/** What a declaration promises, without how it does it: the text that the reference shows. */
import type { ClassDeclaration, ClassElement, Node } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isClassDeclaration,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isPropertyDeclaration,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";

/** The declaration in TypeScript, without bodies, values and private members. */
export function toSignature(node: Node): string {
  return withoutExport(toText(node)).trim();
}

function toText(node: Node): string {
  if (isFunctionDeclaration(node)) return `${textUntil(node, node.body)};`;
  if (isClassDeclaration(node)) return toClass(node);
  if (!isVariableDeclaration(node)) return node.getText();
  const { initializer, type } = node;
  if (type === undefined && initializer !== undefined && isArrowFunction(initializer)) {
    const head = textUntil(initializer, initializer.equalsGreaterThanToken);
    return `function ${node.name.getText()}${head.replace(/^async /, "")};`;
  }
  return type === undefined
    ? `const ${node.getText()};`
    : `const ${node.name.getText()}: ${type.getText()};`;
}

function toClass(node: ClassDeclaration): string {
  const members = node.members
    .filter((member) => !isHidden(member))
    .map((member) => `  ${toMember(member)}`);
  const source = node.getSourceFile().text;
  const head = source.slice(node.getStart(), node.members.pos);
  return `${head}\n${members.join("\n")}\n}`;
}

function isHidden(member: ClassElement): boolean {
  return /^(?:private |protected |(?:static |readonly |async )*#)/.test(member.getText());
}

/** With its own doc comment, which stands before it. */
function toMember(member: ClassElement): string {
  const comment = member.getSourceFile().text.slice(member.pos, member.getStart()).trim();
  const before = comment === "" ? "" : `${comment}\n  `;
  if (isPropertyDeclaration(member) && member.type !== undefined) {
    return `${before}${textUntil(member, member.initializer, "=")};`;
  }
  const hasBody =
    isMethodDeclaration(member) ||
    isConstructorDeclaration(member) ||
    isGetAccessorDeclaration(member);
  return hasBody ? `${before}${textUntil(member, member.body)};` : `${before}${member.getText()}`;
}

/** A node's text up to a part of it, without the sign that stands between them. */
function textUntil(node: Node, part: Node | undefined, sign: string = ""): string {
  const end = part === undefined ? node.end : part.getStart();
  const text = node.getSourceFile().text.slice(node.getStart(), end).trim();
  const cut = part !== undefined && sign !== "" && text.endsWith(sign);
  return (cut ? text.slice(0, -sign.length) : text).trim().replace(/;$/, "");
}

function withoutExport(text: string): string {
  return text.replace(/^export (?:declare )?/, "").replace(/^async function/, "function");
}
