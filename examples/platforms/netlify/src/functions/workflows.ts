/** HTTP. */
import { handler } from "@escapement/netlify";
import { engine } from "../main.ts";

export default handler(engine);

export const config = { path: "/api/workflows/*" };
