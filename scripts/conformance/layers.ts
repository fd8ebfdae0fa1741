/** What kind of proof a test is, by what it runs on. */

/**
 * Letters of the acceptance rows, from the weakest proof to the strongest. D: a page, or a check of the sources. T: types.
 * U: a unit. C: a contract, run on every store or database. H: over HTTP, a host or another package's real parts. X: many
 * at once, crashes, time.
 */
export const LAYERS = ["D", "T", "U", "C", "H", "X"] as const;

export type Layer = (typeof LAYERS)[number];

/** First match decides; paths are of the repository. */
export const LAYER_OF_FILE: readonly (readonly [RegExp, Layer])[] = [
  [/\.test-d\.ts$/, "T"],
  [/^scripts\//, "D"],
  [/^(proofs|simulation|chaos|runtime-tests)\//, "X"],
  [/^adapters\/node\/src\/(processes|outage)\.test\.ts$/, "X"],
  // Invocations that end, in virtual time.
  [/^packages\/engine\/src\/drive\/drive-(deadlines|trips)\.test\.ts$/, "X"],
  [/^adapters\/cloudflare\/src\/trips\.test\.ts$/, "X"],
  [/^adapters\/netlify\/src\/wake-note\.test\.ts$/, "X"],
  [/^adapters\/_contract\/src\/(skew|deadlines|troubles)\.ts$/, "X"],
  // A run whose processes are killed, one after another.
  [/^packages\/otel\/src\/dead-processes\.test\.ts$/, "X"],
  // Every client's own transactions, on real databases.
  [/^examples\/transactions\//, "X"],
  // Many sandboxes under load, by a virtual clock.
  [/^benchmarks\/src\/(cost\/cost|fleets\/fleets)\.test\.ts$/, "X"],
  // Fifty thousand instances, or a million; thousands of everything; fifty pages, in virtual time.
  [/^benchmarks\/src\/lists\/lists\.test\.ts$/, "X"],
  [/^packages\/engine\/src\/testing\/plans\/bounded-reads\.test\.ts$/, "X"],
  [/^packages\/dashboard\/src\/pace\.test\.ts$/, "X"],
  // Pages in a real browser.
  [/^packages\/dashboard\/src\/browser\.test\.ts$/, "H"],
  // Thousands of iterations and claims, in virtual time.
  [/^packages\/engine\/src\/run\/scopes\/loop-growth\.test\.ts$/, "X"],
  // Connections that wait for one another's commits, in real time.
  [/^packages\/db\/src\/clients\/(sqlite-listen|pg\/listen)\.test\.ts$/, "X"],
  // Crashes, lost answers and dead networks, of one process.
  [/^packages\/engine\/src\/run\/(takeover|attempts|trouble|races|occurrences)\.test\.ts$/, "X"],
  // Killed at every call of the store; two jobs at once; a thousand instances.
  [/^packages\/engine\/src\/verbs\/bulk\.test\.ts$/, "X"],
  [/^packages\/fragno\/src\/fragment\/step-transactions-(faults|beside)\.test\.ts$/, "X"],
  [/^packages\/db\/src\/clients\/pg\/(half-open|failures)\.test\.ts$/, "X"],
  [/^packages\/engine\/src\/testing\/store-contract\/(races|leases|fences)\.ts$/, "X"],
  [/^packages\/[^/]+\/src\/testing\/(store-contract\/|[a-z-]+\.ts$)/, "C"],
  [/contract\.test\.ts$/, "C"],
  // Suites over every SQL database.
  [/^packages\/fragno\/src\/schema\/(data-model|migrations-alike|stored-rows)\.test\.ts$/, "C"],
  [/^packages\/engine\/src\/testing\/store-contract\/memory\.test\.ts$/, "C"],
  [/^(adapters|examples)\//, "H"],
  [/^packages\/engine\/src\/(http|verbs|drive|deploy)\//, "H"],
  // The command as a process of its own, against servers and databases.
  [
    /^packages\/cli\/src\/(bulk|commands|completion|connections|migrate|move|replay)\.test\.ts$/,
    "H",
  ],
  [/^packages\/cli\/src\/(database|dev|doctor)\/[a-z-]+\.test\.ts$/, "H"],
  [/^packages\/cli\/src\/watch\/watch-command\.test\.ts$/, "H"],
  [/^packages\/db\/src\/clients\//, "H"],
  [/^packages\/fragno\/src\/(adapter|fragment)\//, "H"],
];

/** Suites of contracts in which several stores, lost leases, invocations that end or clocks are the subject. */
const CONCURRENT_SUITE =
  /^(store contract: .* (several stores at once|leases|fences)|adapter contract: .* (deadlines|with a process clock|in trouble))\b/;

/** @param fullName of the test, with the groups that it is in; a contract's tests run from one file */
export function layerOf(file: string, fullName = ""): Layer {
  if (CONCURRENT_SUITE.test(fullName)) return "X";
  return LAYER_OF_FILE.find(([pattern]) => pattern.test(file))?.[1] ?? "U";
}

/** A stronger proof does for a weaker one; a contract cannot be replaced by one store's test. */
export function isEnough(layer: Layer, demanded: Layer): boolean {
  return LAYERS.indexOf(layer) >= LAYERS.indexOf(demanded);
}
