/** A service that a step calls. */
export declare const post: {
  send(order: unknown, options: { readonly idempotencyKey: string }): Promise<string>;
};
