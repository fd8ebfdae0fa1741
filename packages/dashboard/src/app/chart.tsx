/** Bars over time, as SVG that stretches with the page. Texts are outside of it, so that they are not stretched. */
import type { JSX } from "preact";
import { useId } from "preact/hooks";

/** The colour of a part, by its class. */
type Tone = "complete" | "errored" | "terminated" | "line" | "median" | "p95" | "none";

export interface Bar {
  /** The parts of a bar, from the axis up. */
  readonly parts: readonly { readonly tone: Tone; readonly value: number }[];
  /** The tooltip. */
  readonly says: string;
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly legend: readonly {
    readonly tone: Tone;
    readonly name: string;
    readonly value: string;
  }[];
  readonly bars: readonly Bar[];
  /** A line over the bars, with a value for each. */
  readonly line?: readonly number[];
  /** The time of each bar. */
  readonly times: readonly string[];
  /** How many of the first bars were not looked at. */
  readonly unknown: number;
  readonly toLabel: (value: number) => string;
}

/** Units of the drawing: a bar's width, and the height. */
const WIDTH = 10;
const HEIGHT = 100;

export function Chart(props: ChartProps): JSX.Element {
  const { title, unit, legend, bars, line = [], times, toLabel } = props;
  const id = useId();
  const heights = bars.map(({ parts }) => parts.reduce((total, { value }) => total + value, 0));
  const top = toTop(Math.max(...heights, ...line));
  const said = legend
    .filter(({ value }) => value !== "")
    .map(({ name, value }) => `${value} ${name}`)
    .join(", ");
  return (
    <figure class="chart card">
      <figcaption>
        <strong>{title}</strong> <span class="quiet">{unit}</span>
      </figcaption>
      <ul class="legend">
        {legend.map(({ tone, name, value }) => (
          <li key={name}>
            <i class={`swatch in-${tone}`} aria-hidden="true" />
            {name} <strong>{value}</strong>
          </li>
        ))}
      </ul>
      <div class="plot">
        <span class="scale">{toLabel(top)}</span>
        <svg
          viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={id}
        >
          <title id={id}>{`${title}, ${times[0]} to now: ${said}`}</title>
          <Drawing {...props} top={top} />
        </svg>
      </div>
      <div class="times quiet" aria-hidden="true">
        <span>{times[0]}</span>
        <span>{times[Math.floor(times.length / 2)]}</span>
        <span>now</span>
      </div>
    </figure>
  );
}

/** The next round value. */
function toTop(value: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((step) => step * size).find((step) => step >= value) ?? value;
}

function Drawing({
  bars,
  line = [],
  times,
  unknown,
  top,
}: ChartProps & { readonly top: number }): JSX.Element {
  const toY = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const path = line.map(
    (value, index) =>
      `${index === 0 ? "M" : "L"}${index * WIDTH} ${toY(value).toFixed(1)}h${WIDTH}`,
  );
  return (
    <>
      {[0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => (
        <path key={y} class="grid" d={`M0 ${y}H${bars.length * WIDTH}`} />
      ))}
      {unknown === 0 ? null : (
        <rect class="not-looked-at" width={unknown * WIDTH} height={HEIGHT} />
      )}
      {bars.map(({ parts, says }, index) => (
        <g key={times[index]}>
          <title>{`${times[index]}: ${says}`}</title>
          <rect class="catch" x={index * WIDTH} width={WIDTH} height={HEIGHT} />
          {stack(parts).map(({ tone, from, to }) => (
            <rect
              key={tone}
              class={`in-${tone}`}
              x={index * WIDTH + 1}
              width={WIDTH - 2}
              y={toY(to)}
              height={toY(from) - toY(to)}
            />
          ))}
        </g>
      ))}
      {line.length === 0 ? null : <path class="in-line" d={path.join("")} />}
    </>
  );
}

/** Stacks the parts of a bar. */
function stack(
  parts: Bar["parts"],
): readonly { readonly tone: Tone; readonly from: number; readonly to: number }[] {
  let from = 0;
  return parts
    .filter(({ value }) => value > 0)
    .map(({ tone, value }) => {
      const part = { tone, from, to: from + value };
      from += value;
      return part;
    });
}
