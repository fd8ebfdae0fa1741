/** Types only: what `programs/deno-contract.ts` is started with. */
import type { FixtureOptions } from "@escapement/adapter-contract";

export interface DenoContractSettings extends FixtureOptions {
  /** Path of the SQLite file. */
  readonly file: string;
  readonly port: number;
  /** Work that a request made due is heard of by a request to the tick route, as on Deno Deploy; needs tick secrets. */
  readonly callsItself: boolean;
}
