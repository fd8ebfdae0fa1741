/** The world outside of the workflows: services that take a moment, fail, or do something and then fail to say so. */
import { setImmediate as turn } from "node:timers/promises";

interface Charge {
  readonly cents: number;
  readonly idempotencyKey?: string;
}

/** Charges, then loses the answer of the first call; knows a key again. */
class Payments {
  readonly charged: Charge[] = [];
  #answersToLose = 0;

  loseOneAnswer(): void {
    this.#answersToLose = 1;
  }

  charge(charge: Charge): { readonly cents: number } {
    const { idempotencyKey } = charge;
    const isKnown =
      idempotencyKey !== undefined &&
      this.charged.some((known) => known.idempotencyKey === idempotencyKey);
    if (!isKnown) this.charged.push(charge);
    if (this.#answersToLose > 0) {
      this.#answersToLose -= 1;
      throw new RangeError("the answer was lost");
    }
    return { cents: charge.cents };
  }
}

/** Has a printer that is out of paper once. */
class Warehouse {
  parcelCount = 0;
  #hasPaper = false;

  runOutOfPaper(): void {
    this.#hasPaper = false;
  }

  reserveParcel(): number {
    this.parcelCount += 1;
    return this.parcelCount;
  }

  printLabel(parcel: number): string {
    if (this.#hasPaper) return `label of parcel ${parcel}`;
    this.#hasPaper = true;
    throw new RangeError("out of paper");
  }
}

/** The carrier that did not answer first the last time answers first this time. */
class Carriers {
  #isNorthFirst = false;

  askNorth(): Promise<string> {
    this.#isNorthFirst = !this.#isNorthFirst;
    return this.#isNorthFirst ? Promise.resolve("north") : new Promise(() => undefined);
  }

  askSouth(): Promise<string> {
    return this.#isNorthFirst ? new Promise(() => undefined) : Promise.resolve("south");
  }
}

/** Takes a moment to write. */
class Audit {
  readonly entries: string[] = [];

  async write(entry: string): Promise<void> {
    await turn();
    this.entries.push(entry);
  }
}

export const audit: Audit = new Audit();
export const payments: Payments = new Payments();
export const warehouse: Warehouse = new Warehouse();
export const carriers: Carriers = new Carriers();
/** Large things by name. */
export const files: Map<string, string> = new Map();
export const renderReport = (): string => "=".repeat(2 * 1024 * 1024);
