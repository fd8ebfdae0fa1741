/** Starts what runs the workflows, with the server. */
export default defineNitroPlugin(async () => {
  const { platform } = await import("../../src/engine.ts");
  platform.start();
});
