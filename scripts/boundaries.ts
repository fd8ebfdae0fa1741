/** Check: no import crosses a forbidden edge between rooms. Circles of files, those of types too, the linter finds. */
import { posix } from "node:path";
import { isProgram, reportFindings } from "./findings.ts";
import { isOfTests, lineOf, listFiles, readProjectFile } from "./project-files.ts";
import { ROOM_RULES, type RoomRule, roomOf } from "./room-rules.ts";

/** One import of a file. `typeOnly` imports vanish at run time. */
export interface ImportEdge {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly line: number;
}

const STATIC_IMPORT =
  /^[ \t]*(?:import|export)(?<type>\s+type)?\s+(?:[^;"'`=()]*?\sfrom\s+)?["'](?<specifier>[^"'\n]+)["']/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*["'](?<specifier>[^"'\n]+)["']\s*\)/g;

/** Imports of a source text, in order of kind, then of place. */
export function readImports(text: string): ImportEdge[] {
  return [...text.matchAll(STATIC_IMPORT), ...text.matchAll(DYNAMIC_IMPORT)].map((match) => ({
    specifier: match.groups?.["specifier"] ?? "",
    typeOnly: match.groups?.["type"] !== undefined,
    line: lineOf(text, match.index + match[0].length),
  }));
}

/** Forbidden edges of one file, as lines to print. Tests and what they share may import everything but what leaves their package. */
export function findForbiddenEdges(path: string, text: string): string[] {
  const room = roomOf(path);
  if (room === null) return [];
  const rule = ROOM_RULES[room];
  if (rule === undefined) return [`${path}: the room ${room} is not in scripts/room-rules.ts`];
  return readImports(text).flatMap((edge) => {
    const reason = edge.specifier.startsWith(".")
      ? refuseRelative(path, room, rule, edge)
      : isOfTests(path) || matchesPackage(rule, edge.specifier)
        ? null
        : `the room ${room} may not import this package`;
    return reason === null ? [] : [`${path}:${edge.line}: ${edge.specifier}: ${reason}`];
  });
}

function refuseRelative(
  path: string,
  room: string,
  rule: RoomRule,
  edge: ImportEdge,
): string | null {
  const target = posix.join(posix.dirname(path), edge.specifier);
  if (packageOf(target) !== packageOf(path)) return "import another package by its name";
  const targetRoom = roomOf(target);
  if (isOfTests(target) && !isOfTests(path)) return "only tests may import what tests share";
  if (isOfTests(path) || targetRoom === null || targetRoom === room) return null;
  if (rule.rooms.includes(targetRoom)) return null;
  const allowsTypes = rule.typeRooms?.includes(targetRoom) === true;
  if (allowsTypes && edge.typeOnly) return null;
  return `the room ${room} may not import ${allowsTypes ? "values of " : ""}${targetRoom}`;
}

function packageOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function matchesPackage(rule: RoomRule, specifier: string): boolean {
  return rule.packages.some((name) =>
    /[/:]$/.test(name)
      ? specifier.startsWith(name) && !specifier.endsWith("/internal")
      : specifier === name,
  );
}

/** Forbidden edges of the whole repository. */
export function findForbiddenEdgesInProject(): { files: number; findings: string[] } {
  const paths = listFiles((path) => /\.tsx?$/.test(path) && roomOf(path) !== null);
  const findings = paths.flatMap((path) => findForbiddenEdges(path, readProjectFile(path)));
  return { files: paths.length, findings };
}

if (isProgram(import.meta.url)) {
  const { files, findings } = findForbiddenEdgesInProject();
  reportFindings(findings, `imports of ${files} files`);
}
