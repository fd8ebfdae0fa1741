/** The workflows' API. The engine is loaded with the first request, because `next build` loads this file without a database. */
async function answer(request: Request): Promise<Response> {
  const { engine } = await import("../../../../engine.ts");
  return engine.fetch(request);
}
export { answer as GET, answer as POST };
