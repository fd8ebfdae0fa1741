/** Lets a workflow return `{ state: "shipped" }` where its output schema has an enum, without `as const`. */
declare const NEVER: unique symbol;

export type Literal = string | number | boolean | bigint;

/** Plain data made of literals. While the compiler infers `L`, it keeps `"shipped"` and does not widen it to `string`. */
interface LiteralData<L extends Literal> {
  readonly [key: string]: L | LiteralData<L> | readonly LiteralData<L>[];
}

/**
 * A hint for inference beside a return type. Once `L` is known, it is `never`, because its two marks exclude each other. So it
 * admits no value and appears in no message.
 */
export type KeepLiterals<L extends Literal> = LiteralData<L> & {
  readonly [NEVER]: [L] extends [never] ? 1 : 2;
} & { readonly [NEVER]: 3 };
