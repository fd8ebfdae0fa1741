/** @module For the tests of the platform examples: one refund, played through an example's HTTP API. */
export { type PlayedRefund, playRefund, type PlayRefundOptions } from "./play-refund.ts";
