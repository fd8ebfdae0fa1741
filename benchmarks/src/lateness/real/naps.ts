/** What the real programs do: naps of each length, one begun after another, and how late each of them ended. */
import type { Database } from "@escapement/db";
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";

/** Milliseconds between two naps that begin. */
const APART_MS = 173;

export interface NapsApplication {
  readonly store: ReturnType<typeof createSqlStore>;
  readonly workflows: { readonly NAP: WorkflowDefinition };
}

/** Prints `{ "<sleepMs>": [latenessMs…] }`. Arguments: the file, how many naps of each length, and the lengths. */
export async function runNaps(
  open: (path: string) => Database,
  deploy: (application: NapsApplication) => Promise<(request: Request) => Promise<Response>>,
): Promise<void> {
  const [path = "", count = "1", ...lengths] = process.argv.slice(2);
  const database = open(path);
  await migrate(database);
  const lateness: Record<string, number[]> = Object.fromEntries(lengths.map((key) => [key, []]));
  const total = Number(count) * lengths.length;
  let tellAll: () => void = () => {};
  const allAwake = new Promise<void>((resolve) => (tellAll = resolve));
  let leftCount = total;
  const NAP = defineWorkflow({ name: "nap" }, async (event, step) => {
    const { sleepMs } = event.payload as { readonly sleepMs: number };
    const dueAt = await step.do("lie down", () => Date.now() + sleepMs);
    await step.sleep("sleep", sleepMs);
    await step.do("wake", () => {
      lateness[String(sleepMs)]?.push(Date.now() - dueAt);
      leftCount -= 1;
      if (leftCount === 0) tellAll();
    });
  });
  const call = await deploy({ store: createSqlStore({ database }), workflows: { NAP } });
  const headers = { "content-type": "application/json" };
  const url = "http://127.0.0.1/api/workflows/workflows/nap/instances";
  for (let index = 0; index < total; index += 1) {
    const sleepMs = Number(lengths[index % lengths.length]);
    const body = JSON.stringify({ params: { sleepMs } });
    await call(new Request(url, { method: "POST", headers, body }));
    await new Promise((resolve) => setTimeout(resolve, APART_MS));
  }
  await allAwake;
  console.log(JSON.stringify(lateness));
  process.exit(0);
}
