/** The application's fragments in a scenario, by the keys under which its steps find them. */
import type { WorkflowsFragment } from "../fragment/create-fragment.ts";

/** Fragments of the application by the key of `withFragment`. */
export type ScenarioFragments = Readonly<Record<string, unknown>>;

/** The result of Fragno's `instantiate(definition)`, with config, routes and services as the fragment needs them. */
export interface FragmentInstantiation<TFragment> {
  withOptions(options: { readonly databaseAdapter: never }): { build(): TFragment };
}

/** What a fragment that uses workflows gets. */
export interface FragmentNeeds {
  /** For `withServices({ workflows })`. */
  readonly workflows: WorkflowsFragment["services"];
}

/** A fragment without its database, or a function that creates it from the services of the workflows fragment. */
export type FragmentSource<TFragment> =
  | FragmentInstantiation<TFragment>
  | ((needs: FragmentNeeds) => FragmentInstantiation<TFragment>);

/** Builds the fragments of a scenario. */
export interface FragmentsBuilder<TFragments extends ScenarioFragments = ScenarioFragments> {
  /** By key, in the order in which they were added. */
  readonly sources: ReadonlyMap<string, FragmentSource<unknown>>;
  /** Adds a fragment: its tables are created, and its hooks run. The scenario sets its database. */
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
