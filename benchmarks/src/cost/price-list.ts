/** What vendors ask, each price with where it was read and how old that copy is: `prices.json`. */
import list from "./prices.json" with { type: "json" };

export interface Price {
  readonly dollars: number;
  readonly per: string;
  readonly source: string;
  /** Day or month of the copy that was read; null: the price was not found. */
  readonly copiedOn: string | null;
}

export type PriceName = keyof typeof list.prices;

/** When the copies were read. */
export const READ_ON: string = list.readOn;
export const PRICES: Readonly<Record<PriceName, Price>> = list.prices;

/** Dollars for so many. @param included so many are paid for already */
export const pay = (name: PriceName, units: number, included = 0): number =>
  Math.max(0, units - included) * PRICES[name].dollars;

/** The same where the price is for a million. */
export const payMillions = (name: PriceName, count: number, included = 0): number =>
  pay(name, count / 1e6, included / 1e6);
