/** HTTP. */
import { handler } from "@escapement/netlify";
import { engine, platform } from "../main.ts";

export default handler(engine, { platform });

export const config = { path: "/api/workflows/*" };
