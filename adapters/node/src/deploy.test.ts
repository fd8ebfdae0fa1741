import { expect, test } from "vitest";
import { deploy } from "./deploy.ts";

test("systemd: a unit that restarts, and waits longer than the platform's grace before it kills", () => {
  const options = { target: "systemd", name: "orders", graceMs: 15_000 } as const;
  expect(deploy(options)).toMatchInlineSnapshot(`
    {
      "commands": [
        "install -m 644 orders.service /etc/systemd/system/",
        "systemctl daemon-reload",
        "systemctl enable --now orders",
      ],
      "files": [
        {
          "path": "orders.service",
          "text": "[Unit]
    Description=orders
    After=network-online.target
    Wants=network-online.target

    [Service]
    WorkingDirectory=%S/orders
    EnvironmentFile=-/etc/orders.env
    ExecStart=/usr/bin/env node /srv/orders/dist/main.js
    DynamicUser=yes
    StateDirectory=orders
    Restart=always
    RestartSec=1
    KillSignal=SIGTERM
    TimeoutStopSec=25

    [Install]
    WantedBy=multi-user.target
    ",
        },
      ],
    }
  `);
});

test("docker: an image without development packages, and an init process that passes signals on", () => {
  expect(deploy({ target: "docker", name: "orders" })).toMatchInlineSnapshot(`
    {
      "commands": [
        "docker build -t orders .",
        "docker run -d --init --restart=always --stop-timeout=20 --env-file .env --name orders orders",
      ],
      "files": [
        {
          "path": "Dockerfile",
          "text": "FROM node:24-slim
    WORKDIR /app
    COPY package.json package-lock.json ./
    RUN npm ci --omit=dev
    COPY . .
    USER node
    STOPSIGNAL SIGTERM
    CMD ["node", "dist/main.js"]
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

test("procfile: one worker line", () => {
  expect(deploy({ target: "procfile", name: "orders", entry: "build/worker.js" }))
    .toMatchInlineSnapshot(`
    {
      "commands": [],
      "files": [
        {
          "path": "Procfile",
          "text": "worker: node build/worker.js
    ",
        },
      ],
    }
  `);
});

test("a program that takes arguments, and reads files of its folder, has both on every target", () => {
  const options = {
    name: "orders",
    entry: "node_modules/next/dist/bin/next",
    args: ["start", "-H", "127.0.0.1"],
    runsInFolder: true,
  };
  const read = (target: "systemd" | "docker" | "procfile"): string =>
    deploy({ ...options, target }).files[0]?.text ?? "";
  expect(read("systemd")).toContain(
    "WorkingDirectory=/srv/orders\nEnvironmentFile=-/etc/orders.env\n" +
      "ExecStart=/usr/bin/env node /srv/orders/node_modules/next/dist/bin/next start -H 127.0.0.1\n",
  );
  expect(read("docker")).toContain(
    'CMD ["node", "node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1"]\n',
  );
  expect(read("procfile")).toBe(
    "worker: node node_modules/next/dist/bin/next start -H 127.0.0.1\n",
  );
});

test.each([
  ["name", { target: "docker", name: "Orders; rm" }],
  ["entry", { target: "docker", name: "orders", entry: "main.js && curl" }],
  ["args", { target: "systemd", name: "orders", args: ["start", "; rm"] }],
  ["args", { target: "docker", name: "orders", args: "start" as never }],
  ["runsInFolder", { target: "systemd", name: "orders", runsInFolder: 1 as never }],
  ["runsInFolder", { target: "docker", name: "orders", runsInFolder: "/srv/orders" as never }],
  ["folder", { target: "systemd", name: "orders", folder: "relative" }],
  ["graceMs", { target: "systemd", name: "orders", graceMs: Number.NaN }],
  ["target", { target: "toString" as "docker", name: "orders" }],
] as const)("the option %s is refused by name when it cannot be used", (option, options) => {
  expect(() => deploy(options)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option } }),
  );
});

test("a name that was left out, and an option that nothing reads, are refused with what was expected", () => {
  expect(() => deploy({ target: "docker" } as never)).toThrow(
    'the option "name" is not usable; expected 1 to 60 lower-case letters, digits and hyphens',
  );
  expect(() => deploy({ target: "dockr" as "docker", name: "orders" })).toThrow(
    "expected one of systemd, docker, procfile",
  );
  expect(() => deploy({ target: "docker", name: "orders", entri: "x.js" } as never)).toThrow(
    '"entri" is not an option of deploy; did you mean "entry"?',
  );
});
