import { defineWorkflow } from "@escapement/engine";

/** Makes small pictures of large ones; some cannot be read. In a real program this is work, or a call over HTTP. */
export const pictures = {
  inWork: 0,
  mostInWork: 0,
  broken: new Set([17, 400, 801]),
  async resize(picture: number): Promise<string> {
    pictures.inWork += 1;
    pictures.mostInWork = Math.max(pictures.mostInWork, pictures.inWork);
    // Like any work, it takes a moment.
    await new Promise((resolve) => setImmediate(resolve));
    pictures.inWork -= 1;
    if (pictures.broken.has(picture)) throw new Error(`picture ${picture} cannot be read`);
    return `${picture}.webp`;
  },
};

export const album = defineWorkflow({ name: "album" }, async (event, step) => {
  const items = Array.from({ length: Number(event.payload) }, (_item, index) => index);
  const resized = await step.map(
    "resize",
    items,
    (own, picture) =>
      own.do("one", { retries: { limit: 1, delay: "1 second" } }, () => pictures.resize(picture)),
    { concurrency: 20, tolerate: 3, key: (picture) => `picture ${picture}` },
  );
  const failed = resized.filter((one) => !one.ok);
  return {
    made: resized.length - failed.length,
    failed: failed.map(({ error }) => error.message),
  };
});
