/** What the parts of an engine share. */
import type { RunnerContext } from "../runner/context.ts";
import type { WakeHint } from "../ports/platform.ts";
import type { CreateResult, NewInstance } from "../ports/store.ts";
import type { RunPool } from "../runner/pool.ts";

export interface HostContext extends RunnerContext {
  readonly pool: RunPool;
  /** Creates through a shared lane. */
  readonly createShared: (instance: NewInstance) => Promise<CreateResult>;
  /** Whether a run that is created here may be claimed here at once: a loop is running. */
  readonly mayRunHere: () => boolean;
  /** Tells loop and platform that work came due. Never throws: a lost wake costs only time. */
  readonly wake: (hint: WakeHint) => void;
}
