/** What it takes to play the page of a platform. */
import type { RunningApp } from "./play-order.ts";
import type { Project, ProjectPlan } from "./project.ts";

/** What the application is to work with. */
export interface Stage {
  readonly project: Project;
  readonly token: string;
  readonly shopUrl: string;
  /** Called when the play is over, the last one first. */
  readonly defer: (cleanup: () => unknown) => void;
}

export interface PagePlatform extends ProjectPlan {
  /** Why it is skipped; null when everything is there. */
  readonly missing: string | null;
  /** Follows "Deploy" and "Local run". @returns starts the application, each time that it is called */
  open(stage: Stage): Promise<() => Promise<RunningApp>>;
}
