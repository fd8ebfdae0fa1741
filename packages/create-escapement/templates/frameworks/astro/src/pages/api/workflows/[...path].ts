/** The workflows' API. The engine is loaded with the first request, because the build may load this file without a database. */
import type { APIRoute } from "astro";

export const ALL: APIRoute = async ({ request }) => {
  const { engine } = await import("../../../engine.ts");
  return engine.fetch(request);
};
