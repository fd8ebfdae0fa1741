export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  telemetry: false,
  // Beside the application's own folders.
  typescript: { nodeTsConfig: { include: ["../src", "../deploy"] } },
});
