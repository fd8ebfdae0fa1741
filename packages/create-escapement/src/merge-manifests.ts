/** Merges the `package.json` of two layers. */

type Fields = Readonly<Record<string, unknown>>;

/** The second one takes precedence; dependencies are sorted as npm sorts them. */
export function mergeManifests(before: string, after: string): string {
  const merged = merge(JSON.parse(before) as Fields, JSON.parse(after) as Fields);
  const sorted = Object.entries(merged).map(([key, value]) =>
    /[dD]ependencies$/.test(key) ? [key, toSorted(value as Fields)] : [key, value],
  );
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

function merge(before: Fields, after: Fields): Fields {
  const both = Object.entries(after).map(([key, value]) => {
    const old = before[key];
    return [key, isFields(old) && isFields(value) ? merge(old, value) : value];
  });
  return { ...before, ...Object.fromEntries(both) };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const toSorted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
