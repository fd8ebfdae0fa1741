/** A database under chaos, and what can be done to it. */
import type { Deliver, SilenceMoment } from "@escapement-internal/test-servers";

/** What can be done to a database or to the way there. Each subject has some of them. */
export interface SubjectFaults {
  /** Closes every connection of the workers. */
  readonly cut: () => void;
  /** Makes every connection of the workers half-open. */
  readonly silence: (moment: SilenceMoment) => void;
  /** While true, nothing is answered. */
  readonly mute: (isMute: boolean) => void;
  /** Treats each request from now on; null: all pass. */
  readonly deliver: (deliver: Deliver | null) => void;
  /** Ends sessions from within the database. @param share of them, 0 to 1 */
  readonly terminate: (share: number) => Promise<void>;
  /** Crashes the database and starts it again. */
  readonly restart: () => Promise<void>;
  /** Crashes the database. */
  readonly halt: () => Promise<void>;
  /** Stops the database's processes where they are, or lets them go on. */
  readonly stall: (isStalled: boolean) => void;
  readonly fillDisk: () => void;
  /** Gives the room back, and starts the database again if it has ended. */
  readonly freeDisk: () => Promise<void>;
  readonly readOnly: (isReadOnly: boolean) => Promise<void>;
}

export interface Subject {
  readonly name: "postgres" | "sqld" | "file";
  /** For workers: through a proxy if there is one. */
  readonly url: string;
  /** Past every proxy. */
  readonly directUrl: string;
  readonly faults: Partial<SubjectFaults>;
  remove(): Promise<void>;
}
