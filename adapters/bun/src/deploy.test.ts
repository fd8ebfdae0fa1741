import { expect, test } from "vitest";
import { deploy } from "./deploy.ts";

test("docker: Bun's image, its lockfile, its user without privileges", () => {
  expect(deploy({ target: "docker", name: "orders" })).toMatchInlineSnapshot(`
    {
      "commands": [
        "docker build -t orders .",
        "docker run -d --init --restart=always --stop-timeout=20 --env-file .env --name orders orders",
      ],
      "files": [
        {
          "path": "Dockerfile",
          "text": "FROM oven/bun:1-slim
    WORKDIR /app
    COPY package.json bun.lock ./
    RUN bun install --frozen-lockfile --production
    COPY . .
    USER bun
    STOPSIGNAL SIGTERM
    CMD ["bun", "src/main.ts"]
    ",
        },
        {
          "path": ".dockerignore",
          "text": ".git
    **/.env*
    **/node_modules
    **/*.db
    **/*.db-*
    ",
        },
      ],
    }
  `);
});

test("systemd: the unit runs the TypeScript entry with Bun", () => {
  const { files } = deploy({ target: "systemd", name: "orders", graceMs: 15_000 });
  expect(files[0]?.text).toContain("ExecStart=/usr/bin/env bun /srv/orders/src/main.ts\n");
  expect(files[0]?.text).toContain("TimeoutStopSec=25\n");
});

test("procfile: one worker line", () => {
  const { files } = deploy({ target: "procfile", name: "orders", entry: "build/worker.js" });
  expect(files).toEqual([{ path: "Procfile", text: "worker: bun build/worker.js\n" }]);
});

test("an option that cannot be used is refused by name", () => {
  expect(() => deploy({ target: "docker", name: "orders", entry: "main.ts; curl" })).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option: "entry" } }),
  );
});
