/** The workflows' API. The engine is loaded with the first request, because the build may load this file without a database. */
import type { ActionFunctionArgs } from "react-router";

export async function action({ request }: ActionFunctionArgs): Promise<Response> {
  const { engine } = await import("../src/engine.ts");
  return engine.fetch(request);
}
export const loader = action;
