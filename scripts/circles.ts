/** Finds circles of files that import each other. */

/** @param imports what each file imports, for values or for types @returns each circle as a line to print */
export function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const targets = new Map(imports);
  const circles: string[] = [];
  for (let circle = findCircle(targets); circle !== null; circle = findCircle(targets)) {
    circles.push(`a circle of imports: ${circle.join(" -> ")}`);
    targets.delete(circle[0] ?? "");
  }
  return circles;
}

/** One circle, from a file back to itself; null: there is none. */
function findCircle(targets: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const cleared = new Set<string>();
  const follow = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (cleared.has(path)) return null;
    for (const target of targets.get(path) ?? []) {
      const circle = follow(target, [...trail, path]);
      if (circle !== null) return circle;
    }
    cleared.add(path);
    return null;
  };
  for (const path of targets.keys()) {
    const circle = follow(path, []);
    if (circle !== null) return circle;
  }
  return null;
}
