/** @module A dashboard of the engine's instances, as a route of your own handler: [the guide](https://escapement.dev/guides/dashboard). */
export { dashboard, withDashboard } from "./dashboard.ts";
export { passwordAuth } from "./password-auth.ts";
