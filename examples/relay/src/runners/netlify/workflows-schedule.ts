/** The scheduled function: asks whether anything is due, and calls the one that works. */
import { scheduleHandler } from "@escapement/netlify";
import { engine, platform } from "./engine.ts";

// oxlint-disable-next-line import/no-default-export -- Netlify takes the function from there
export default scheduleHandler(engine, { platform });

export const config = { schedule: "* * * * *" };
