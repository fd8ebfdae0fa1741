/** Does the work. */
import { backgroundHandler } from "@escapement/netlify";
import { engine, platform } from "../main.ts";

export default backgroundHandler(engine, { platform });
