import { COST_MODELS } from "../cost/models.ts";
import { installVirtualTime } from "../lateness/virtual-time.ts";
import { play } from "./play.ts";
import { SCENARIOS } from "./scenarios.ts";
const real = Date.now.bind(Date);
const time = installVirtualTime(Date.UTC(2026, 0, 1));
performance.now = () => time.now() - Date.UTC(2026, 0, 1);
const [only, names, sz] = process.argv.slice(2);
for (const platform of (only ?? "awsLambda,vercel,netlify,deno,cloudflare").split(",")) {
  for (const scenario of SCENARIOS) {
    if (names && !names.split(",").includes(scenario.name)) continue;
    for (const size of platform === "cloudflare" ? [1] : (scenario.sizes ?? [1, 10, 100])) {
      if (sz && !sz.split(",").includes(String(size))) continue;
      const began = real();
      const o = await play(time, { model: (COST_MODELS as any)[platform], scenario, size });
      console.log(platform.padEnd(10), scenario.name.padEnd(12), String(size).padStart(3),
        `ended ${o.ended}/${scenario.instances.length} rep ${o.repeated.struck}+${o.repeated.others} idle ${o.idle} waiting ${o.waiting} asked/s ${o.askedPerSecond?.toFixed(2)} armed/s ${o.armedPerSecond?.toFixed(2)} late ${(o.lateMs / 1000).toFixed(1)} s`, `(${real() - began} ms)`);
    }
  }
}
time.restore();
