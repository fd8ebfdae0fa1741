/** How an engine is followed: what is compared. */

export interface Configuration {
  readonly name: string;
  readonly says: string;
  /** Share of the stories that are sampled; null: the engine has no option `telemetry`. */
  readonly share: number | null;
  /** The application has registered an SDK, and its own spans are made. */
  readonly hasSdk: boolean;
  /** Name of the configuration that it is compared with. */
  readonly than: string;
}

/** An SDK costs what it costs also where only others use it; what is ours is what comes on top of that. */
export const CONFIGURATIONS: readonly Configuration[] = [
  { name: "plain", says: "no SDK, no option telemetry", share: null, hasSdk: false, than: "plain" },
  {
    name: "again",
    says: "the same again: what chance makes of it",
    share: null,
    hasSdk: false,
    than: "plain",
  },
  {
    name: "sdk",
    says: "an SDK that others use, than without one",
    share: null,
    hasSdk: true,
    than: "plain",
  },
  {
    name: "none",
    says: "followed, than with an SDK alone: no story sampled",
    share: 0,
    hasSdk: true,
    than: "sdk",
  },
  {
    name: "few",
    says: "followed, than with an SDK alone: one story of twenty sampled",
    share: 0.05,
    hasSdk: true,
    than: "sdk",
  },
  {
    name: "all",
    says: "followed, than with an SDK alone: every story sampled",
    share: 1,
    hasSdk: true,
    than: "sdk",
  },
];
