/** The application's fragments that a scenario needs, under the keys by which its steps find them. */
import type { WorkflowsFragment } from "../fragment/create-fragment.ts";

/** Fragments of the application by the key of `withFragment`. */
export type ScenarioFragments = Readonly<Record<string, unknown>>;

/** What Fragno's `instantiate(definition)` gives, with config, routes and services as the fragment wants them. */
export interface FragmentInstantiation<TFragment> {
  withOptions(options: { readonly databaseAdapter: never }): { build(): TFragment };
}

/** What a fragment that uses workflows is made of. */
export interface FragmentNeeds {
  /** For `withServices({ workflows })`. */
  readonly workflows: WorkflowsFragment["services"];
}

/** A fragment without its database, or how to make it from the services of the workflows fragment. */
export type FragmentSource<TFragment> =
  | FragmentInstantiation<TFragment>
  | ((needs: FragmentNeeds) => FragmentInstantiation<TFragment>);

/** Builds the fragments of a scenario. */
export interface FragmentsBuilder<TFragments extends ScenarioFragments = ScenarioFragments> {
  /** By key, in the order in which they were added. */
  readonly sources: ReadonlyMap<string, FragmentSource<unknown>>;
  /** Adds a fragment: its tables are made, its hooks run. The scenario gives it its database. */
  withFragment<const TKey extends string, TFragment>(
    key: TKey,
    fragment: FragmentSource<TFragment>,
  ): FragmentsBuilder<TFragments & { readonly [K in TKey]: TFragment }>;
}

/** A builder without fragments. */
export function createFragmentsBuilder(
  sources: ReadonlyMap<string, FragmentSource<unknown>> = new Map(),
): FragmentsBuilder<never> {
  return {
    sources,
    withFragment: (key, fragment) => createFragmentsBuilder(new Map([...sources, [key, fragment]])),
  };
}
