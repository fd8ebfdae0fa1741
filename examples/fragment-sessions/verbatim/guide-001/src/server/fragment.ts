/** The guide imports it by this path. */
export { createMyFragment } from "../fragment/index";
