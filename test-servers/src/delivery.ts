/** What a network may do to a request and its answer. */

/**
 * - `pass`: both arrive.
 * - `delay`: the request arrives `ms` later.
 * - `drop`: it never arrives; the client's connection is cut.
 * - `lose-answer`: it arrives and is answered; the client's connection is cut instead.
 * - `late`: the client's connection is cut at once; the request arrives `ms` later all the same.
 * - `twice`: as `lose-answer`, and `ms` later the same bytes arrive a second time.
 * - `half-open`: from here on nothing passes on this connection, and neither side is told. The server has got the request
 *   but for its end, so that it holds what it has locked.
 */
export type Delivery =
  | { readonly kind: "pass" | "drop" | "lose-answer" | "half-open" }
  | { readonly kind: "delay" | "late" | "twice"; readonly ms: number };

/** Decides about each request, in the order in which requests come. */
export type Deliver = () => Delivery;

/** Every request passes. */
export const PASS: Delivery = { kind: "pass" };
