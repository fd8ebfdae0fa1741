/** What it takes to play the page of a platform. */
import type { RunningApp } from "./play-order.ts";
import type { Project } from "./project.ts";

/** What the application is to work with. */
export interface Stage {
  readonly project: Project;
  readonly token: string;
  readonly shopUrl: string;
  /** Called when the play is over, the last one first. */
  readonly defer: (cleanup: () => unknown) => void;
}

export interface PagePlatform {
  /** Of `docs/deploy/<name>.md`. */
  readonly name: string;
  /** Why it is skipped; null when everything is there. */
  readonly missing: string | null;
  /** For each line of the page that is run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Says of a line of "Install" that what it installs is here already. */
  readonly isHere?: (line: string) => boolean;
  /** Makes what the lines that are not run would have made. */
  readonly prepare?: (folder: string) => void;
  /** Follows "Deploy" and "Local run". @returns starts the application, each time that it is called */
  open(stage: Stage): Promise<() => Promise<RunningApp>>;
}
