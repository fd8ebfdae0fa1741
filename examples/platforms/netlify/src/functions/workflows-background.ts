/** Does the work. */
import { background } from "@escapement/netlify";
import { engine, platform } from "../main.ts";

export default background(engine, { platform });
