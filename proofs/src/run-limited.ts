/** Applies `work` to all items, so many at once. */
export async function runLimited<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const pending = items.values();
  const lane = async (): Promise<void> => {
    for (const item of pending) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
