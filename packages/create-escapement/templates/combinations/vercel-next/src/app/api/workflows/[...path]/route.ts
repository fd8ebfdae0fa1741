/** The workflows' API, and the cron. The engine is loaded with the first request, because `next build` loads this file without a database. */
async function answer(request: Request): Promise<Response> {
  const { takeRequest } = await import("../../../../engine.ts");
  return takeRequest(request);
}
export { answer as GET, answer as POST };
