/** How an engine is followed, and what is compared with what. */

export interface Configuration {
  readonly name: string;
  /** Share of the stories that are sampled; null: the engine has no option `telemetry`. */
  readonly share: number | null;
  /** The application has registered an SDK, and its own spans are made. */
  readonly hasSdk: boolean;
  /** Nothing follows the engine, and beside it the spans of as many stories are made, sampled all. */
  readonly makesSpans?: true;
}

export const CONFIGURATIONS: readonly Configuration[] = [
  { name: "plain", share: null, hasSdk: false },
  { name: "again", share: null, hasSdk: false },
  { name: "sdk", share: null, hasSdk: true },
  { name: "spans", share: null, hasSdk: true, makesSpans: true },
  { name: "none", share: 0, hasSdk: true },
  { name: "hundredth", share: 0.01, hasSdk: true },
  { name: "tenth", share: 0.1, hasSdk: true },
  { name: "all", share: 1, hasSdk: true },
];

export interface Comparison {
  readonly says: string;
  /** Names of configurations. */
  readonly of: string;
  readonly than: string;
}

/** An SDK costs what it costs also where only others use it; what is ours is what comes on top of that. */
export const COMPARISONS: readonly Comparison[] = [
  { says: "the same again: what chance makes of it", of: "again", than: "plain" },
  { says: "an SDK that others use", of: "sdk", than: "plain" },
  { says: "the SDK alone: spans of every story", of: "spans", than: "sdk" },
  { says: "followed, no story sampled", of: "none", than: "sdk" },
  { says: "followed, one story of a hundred sampled", of: "hundredth", than: "sdk" },
  { says: "followed, one story of ten sampled", of: "tenth", than: "sdk" },
  { says: "followed, every story sampled", of: "all", than: "sdk" },
  { says: "every story sampled, beside the SDK alone", of: "all", than: "spans" },
  { says: "SDK and followed, one story of a hundred", of: "hundredth", than: "plain" },
];
