/** The background function, which works. */
import { backgroundHandler } from "@escapement/netlify";
import { engine, platform } from "./engine.ts";

// oxlint-disable-next-line import/no-default-export -- Netlify takes the function from there
export default backgroundHandler(engine, { platform });
