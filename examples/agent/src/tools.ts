/** What the model may have done. In a real program these are calls over HTTP that take an idempotency key. */

/** One tool. */
export interface Tool {
  /** A person is asked first. */
  readonly isDangerous: boolean;
  /** @param idempotencyKey the same each time that a call is tried again */
  run(input: string, idempotencyKey: string): Promise<string>;
}

/** Refunds that were made, by idempotency key. */
export const refunds: Map<string, string> = new Map<string, string>();

export const tools: Readonly<Record<string, Tool>> = {
  findOrder: {
    isDangerous: false,
    run: async (id) => `order ${id}: 2 charges of 42.00 EUR`,
  },
  refund: {
    isDangerous: true,
    async run(id, idempotencyKey) {
      refunds.set(idempotencyKey, id);
      return `42.00 EUR of order ${id} were paid back`;
    },
  },
};
