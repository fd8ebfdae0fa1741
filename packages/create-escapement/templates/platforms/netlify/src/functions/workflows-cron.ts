/** Asks whether anything is due, each minute: `netlify.toml` has its schedule. */
import { scheduleHandler } from "@escapement/netlify";
import { engine } from "../main.ts";

export default scheduleHandler(engine);
