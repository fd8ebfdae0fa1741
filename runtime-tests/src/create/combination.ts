/** One kind of project that `create-escapement` makes: where it runs, with which framework and database. */
export interface Combination {
  readonly platform: string;
  readonly framework: string;
  readonly database: string;
}

/** For instance `node+sqlite`, or `node+sqlite+next`. */
export const nameOf = ({ platform, framework, database }: Combination): string =>
  [platform, database, ...(framework === "none" ? [] : [framework])].join("+");
