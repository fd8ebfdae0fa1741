/** The workflows' API. The engine is loaded with the first request, because the build may load this file without a database. */
export default defineEventHandler(async (event) => {
  const { engine } = await import("../../../../src/engine.ts");
  return engine.fetch(toWebRequest(event));
});
