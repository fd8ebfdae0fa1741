/** Suggests the workflow that an unknown name most likely means. */

const MOST_LISTED = 5;

/**
 * Returns the end of a refusal: `; did you mean "order"?`, or otherwise the names that exist.
 *
 * @param details of WORKFLOW_NOT_FOUND; `registered` is absent for a caller who may not list workflows
 */
export function suggestWorkflow(details: Readonly<Record<string, unknown>>): string {
  const { workflowName: name, registered } = details;
  if (typeof name !== "string" || !Array.isArray(registered) || registered.length === 0) return "";
  const known = registered.map(String);
  const nearest = known.toSorted((a, b) => countEdits(name, a) - countEdits(name, b))[0] ?? "";
  if (countEdits(name, nearest) <= Math.ceil(name.length / 3))
    return `; did you mean "${nearest}"?`;
  const listed = known.slice(0, MOST_LISTED).join(", ");
  const rest = known.length - MOST_LISTED;
  return rest > 0 ? `; registered: ${listed} and ${rest} more` : `; registered: ${listed}`;
}

/** The number of letters to add, leave out or replace, ignoring case. */
function countEdits(name: string, other: string): number {
  const [from, to] = [name.toLowerCase(), other.toLowerCase()];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const counts = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + Number(from[row - 1] !== to[column - 1]);
      counts.push(Math.min(replaced, (above[column] ?? 0) + 1, (counts[column - 1] ?? 0) + 1));
    }
    above = counts;
  }
  return above[to.length] ?? 0;
}
