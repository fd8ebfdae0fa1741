/** Lets a workflow return `{ state: "shipped" }` where its output schema has an enum, without `as const`. */
declare const NEVER: unique symbol;

export type Literal = string | number | boolean | bigint;

/** Plain data of literals: while the compiler looks for `L`, it keeps `"shipped"` and does not widen it to `string`. */
interface LiteralData<L extends Literal> {
  readonly [key: string]: L | LiteralData<L> | readonly LiteralData<L>[];
}

/**
 * A hint beside a return type. It is `never` once `L` is known, since its two marks exclude each other, so it admits no value and
 * stands in no message.
 */
export type KeepLiterals<L extends Literal> = LiteralData<L> & {
  readonly [NEVER]: [L] extends [never] ? 1 : 2;
} & { readonly [NEVER]: 3 };
