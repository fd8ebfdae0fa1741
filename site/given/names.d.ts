/** Names that pages use and need not explain: a page about one function shows that function. */
import type { Database } from "@escapement/db";
import type { createMemoryStore } from "@escapement/engine/store/memory";
import type { Pool } from "pg";
import type * as views from "../../packages/engine/src/ports/instance-views.ts";

declare global {
  const database: Database;
  const store: ReturnType<typeof createMemoryStore>;
  const connectionString: string;
  const url: string;
  const pool: Pool;

  /** In the HTTP reference, which writes them at its end. */
  type DivergedStep = NonNullable<views.InstanceStatus["diverged"]>[number];
  type InstanceStatus = views.InstanceStatus;
  type InstanceView = views.InstanceView;
  type StepView = views.StepView;
  type EventView = views.EventView;
}
