/** Types only: what a platform's program is told. */

export interface RunnerSettings {
  /** The platform's name in the picture. */
  readonly platform: string;
  readonly database: DatabasePlace;
  /** Which step is this platform's, from 1 on. */
  readonly legNumber: number;
  /** Takes a POST for each body that runs. */
  readonly ledgerUrl: string;
  /** Lets ticks in. */
  readonly tickSecret: string;
  /** Where the platform calls itself. @default nowhere */
  readonly siteUrl?: string;
  /** For the picture, where the runtime does not know its own version. @default what it says of itself */
  readonly runtime?: string;
}

/** Where the instance is. `neon`: the same Postgres, by HTTP. */
export interface DatabasePlace {
  readonly kind: "libsql" | "postgres" | "neon";
  readonly url: string;
}

/** What a body tells the ledger. */
export interface RanBody {
  readonly leg: string;
  readonly attempt: number;
  readonly platform: string;
  /** For instance `Deno 2.9.6`. */
  readonly runtime: string;
}
