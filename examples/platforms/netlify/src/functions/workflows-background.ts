/** Does the work. */
import { backgroundHandler } from "@escapement/netlify";
import { engine } from "../main.ts";

export default backgroundHandler(engine);
