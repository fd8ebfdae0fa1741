/** Asks whether anything is due, each minute: `netlify.toml` has its schedule. */
import { scheduler } from "@escapement/netlify";
import { engine, platform } from "../main.ts";

export default scheduler(engine, { platform });
