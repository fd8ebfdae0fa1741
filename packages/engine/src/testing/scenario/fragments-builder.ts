/** The application's fragments that a scenario needs, under the keys by which its steps find them. */
import type { ScenarioFragments } from "./types.ts";

/** What Fragno's `instantiate(definition)` gives, with config, routes and services as the fragment wants them. */
export interface FragmentInstantiation<TFragment> {
  withOptions(options: { readonly databaseAdapter: never }): { build(): TFragment };
}

export interface FragmentsBuilder<TFragments extends ScenarioFragments = ScenarioFragments> {
  /** By key, in the order in which they were added. */
  readonly sources: ReadonlyMap<string, FragmentInstantiation<unknown>>;
  /** Adds a fragment: its tables are made, its hooks run. The scenario gives it its database. */
  withFragment<const TKey extends string, TFragment>(
    key: TKey,
    fragment: FragmentInstantiation<TFragment>,
  ): FragmentsBuilder<TFragments & { readonly [K in TKey]: TFragment }>;
}

/** A builder without fragments. */
export function createFragmentsBuilder(
  sources: ReadonlyMap<string, FragmentInstantiation<unknown>> = new Map(),
): FragmentsBuilder<never> {
  return {
    sources,
    withFragment: (key, fragment) => createFragmentsBuilder(new Map([...sources, [key, fragment]])),
  };
}
