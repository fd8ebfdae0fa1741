/** @module Follows an engine with OpenTelemetry: [the guide](https://escapement.dev/guides/observability#traces). */
export { openTelemetry } from "./open-telemetry.ts";
