/** The guide imports it by this path. */
export { requiredWorkflows } from "../index";
