/** The platforms' figures as JSON and as tables. */
import type { PlatformFigures, SideFigures } from "./measure-platforms.ts";
import { type PlatformName, PLATFORM_ROWS } from "./platform-rows.ts";

type Figures = Readonly<Record<PlatformName, PlatformFigures>>;

/** `{ "platforms": { "<platform>": { "work", "ours", "bare" } } }` */
export const toPlatformsJson = (figures: Figures): string => JSON.stringify({ platforms: figures });

/** Markdown. */
export function toPlatformsTable(figures: Figures): string {
  const entries = Object.entries(figures) as [PlatformName, PlatformFigures][];
  const work = entries.map(
    ([
      name,
      {
        work: { three, threeAndASleep },
      },
    ]) => [
      PLATFORM_ROWS[name].says,
      String(three.trips),
      String(three.invocations),
      String(threeAndASleep.trips),
      String(threeAndASleep.invocations),
    ],
  );
  const sizes = entries.map(([name, { ours, bare }]) => [
    PLATFORM_ROWS[name].says,
    toSize(ours),
    toSize(bare),
    `${ours?.startWallMs ?? "–"} / ${bare?.startWallMs ?? "–"}`,
    `${ours?.startCpuMs ?? "–"} / ${bare?.startCpuMs ?? "–"}`,
  ]);
  const workHead = [
    "platform",
    "trips",
    "invocations",
    "trips, with a sleep of 90 s",
    "invocations",
  ];
  const sizeHead = [
    "platform",
    "example, KB (gzip)",
    "bare Hono, KB (gzip)",
    "start, ms: ours / bare",
    "processor time of it, ms",
  ];
  return `${table(workHead, work)}\n\n${table(sizeHead, sizes)}`;
}

const toSize = (side: SideFigures | null): string =>
  side === null ? "–" : `${toKb(side.bytes)} (${toKb(side.gzipBytes)})`;
const toKb = (bytes: number): string => (bytes / 1000).toFixed(0);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
