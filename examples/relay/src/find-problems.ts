/** What of a relay is not as it must be. */
import type { RelayEnd } from "./relay-end.ts";

/** @returns one line a problem; none: each platform ran its leg once and the baton went through all hands */
export function findProblems(end: Omit<RelayEnd, "problems">): readonly string[] {
  const { legs, bodies, status, output } = end;
  const problems = legs.flatMap(({ hop, leg }) => {
    const ran = bodies.filter((body) => body.leg === leg);
    if (ran.length !== 1) return [`${leg} ran ${ran.length} times`];
    return ran[0]?.platform === hop ? [] : [`${leg} was ${hop}'s, and ran on ${ran[0]?.platform}`];
  });
  const strangers = bodies.filter((body) => !legs.some(({ leg }) => leg === body.leg));
  const baton = ["start", ...legs.map(({ hop }) => hop)].join(" → ");
  return [
    ...problems,
    ...strangers.map(({ leg }) => `${leg} is nobody's, and ran`),
    ...(status === "complete" ? [] : [`the instance is ${status}, not complete`]),
    ...(output === baton ? [] : [`the baton says ${JSON.stringify(output)}, not ${baton}`]),
  ];
}
