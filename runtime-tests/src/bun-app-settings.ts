/** Types only: what `programs/bun-app.ts` is started with. */
import type { FixtureOptions } from "@escapement/adapter-contract";

/** With `losesWakes` there is no loop: only the safety-net tick finds work. */
export interface BunAppSettings extends FixtureOptions {
  /** Path of the SQLite file. */
  readonly file: string;
  /** Every safety-net tick fails. @default false */
  readonly ticksFail?: boolean;
  /** @default the adapter's */
  readonly cron?: string;
}
