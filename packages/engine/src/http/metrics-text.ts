/** Metrics as text: families of samples with labels. */

/** The labels of a sample, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** @source https://prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4 */
export class Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly #samples = new Map<string, number>();

  constructor(name: string, type: Family["type"], help: string) {
    this.name = `escapement_${name}`;
    this.type = type;
    this.help = help;
  }

  add(labels: Labels, by: number, suffix: string = ""): void {
    const sample = `${this.name}${suffix}${toLabelsText(labels)}`;
    this.#samples.set(sample, (this.#samples.get(sample) ?? 0) + by);
  }

  get lines(): readonly string[] {
    return [...this.#samples].map(([sample, value]) => `${sample} ${value}`);
  }
}

/** Upper bounds in seconds: from what nobody notices to what pages an operator. */
const BOUNDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;

export class Histogram extends Family {
  constructor(name: string, help: string) {
    super(name, "histogram", help);
  }

  observe(labels: Labels, value: number): void {
    for (const bound of BOUNDS)
      this.add({ ...labels, le: String(bound) }, value <= bound ? 1 : 0, "_bucket");
    this.add({ ...labels, le: "+Inf" }, 1, "_bucket");
    this.add(labels, value, "_sum");
    this.add(labels, 1, "_count");
  }
}

/** A family with its header. A family without samples still shows that the metric exists. */
export const toFamilyText = ({ name, type, help, lines }: Family): string =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");

function toLabelsText(labels: Labels): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

const escape = (value: string): string =>
  value
    .replaceAll("\\", String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`);
