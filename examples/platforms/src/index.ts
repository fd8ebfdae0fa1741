/** @module For the tests of the platform examples: one refund, played through an example's HTTP API. */
export {
  type PayoutService,
  type PlayedRefund,
  playRefund,
  type PlayRefundOptions,
  startPayoutService,
} from "./play-refund.ts";
