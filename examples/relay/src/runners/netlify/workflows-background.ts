/** The background function, which works. */
import { background } from "@escapement/netlify";
import { engine, platform } from "./engine.ts";

// oxlint-disable-next-line import/no-default-export -- Netlify takes the function from there
export default background(engine, { platform });
