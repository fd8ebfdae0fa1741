/** The tables, which the guide takes for granted. */
export { myFragmentSchema } from "../../../src/schema";
