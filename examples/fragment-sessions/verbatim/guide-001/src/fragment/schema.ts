/** The guide imports it by this path. */
export { myFragmentSchema } from "../schema";
