/** The workflows' API. The engine is loaded with the first request, because `vite build` loads this file without a database. */
import type { RequestHandler } from "@sveltejs/kit";

export const fallback: RequestHandler = async ({ request }) => {
  const { engine } = await import("../../../../engine.ts");
  return engine.fetch(request);
};
