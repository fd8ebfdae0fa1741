import { defineConfig } from "vitepress";
import { toHeadingId } from "../../scripts/heading-ids.ts";
import { createSidebar } from "../src/navigation.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  title: "Escapement",
  description: "Durable workflows for platforms that only tick.",
  lang: "en",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/icon.svg" }]],
  srcDir: ".cache/pages",
  cacheDir: ".cache/vitepress",
  outDir: "dist",
  // Errors name the page of their code: /errors/STEP_TIMEOUT.
  cleanUrls: true,
  ignoreDeadLinks: false,
  markdown: {
    html: false,
    anchor: { slugify: toHeadingId },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Quickstart", link: "/quickstart" },
      { text: "Concepts", link: "/concepts" },
      { text: "Platforms", link: "/platforms" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: createSidebar(),
  },
});

// VitePress reads the default export of its configuration.
export default config;
