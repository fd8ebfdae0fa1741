/** Streams of instances, as tests look at them. */
import type { ProgressService, ProgressView } from "../ports/progress-service.ts";

/** All that the stream of an instance of workflow `w` keeps, read by small pages. */
export async function readStream(
  engine: ProgressService,
  id: string = "x",
): Promise<readonly ProgressView[]> {
  const entries: ProgressView[] = [];
  for (let after = 0; ;) {
    const page = await engine.readProgress("w", id, { after, limit: 3 });
    if (page.entries.length === 0) return entries;
    entries.push(...page.entries);
    after = page.cursor;
  }
}

/** Their values, in order. */
export const readValues = async (
  engine: ProgressService,
  id?: string,
): Promise<readonly unknown[]> => (await readStream(engine, id)).map(({ value }) => value);
