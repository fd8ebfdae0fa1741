/** Types only: what `programs/bun-app.ts` is started with. */

export interface BunAppSettings {
  /** Path of the SQLite file. */
  readonly file: string;
  readonly hasTickSecrets: boolean;
  /** No loop: only the safety-net tick finds work. */
  readonly losesWakes: boolean;
  /** Every safety-net tick fails. @default false */
  readonly ticksFail?: boolean;
  /** @default the adapter's */
  readonly cron?: string;
}
