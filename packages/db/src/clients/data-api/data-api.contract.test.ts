import { createPostgresDatabase, startDataApi } from "@escapement-internal/test-servers";
import { RDSData } from "@aws-sdk/client-rds-data";
import type { Database } from "../../batch.ts";
import { describeDatabaseContract } from "../../testing/index.ts";
import { createDataApiDatabase } from "./index.ts";

describeDatabaseContract({
  name: "Amazon's RDS Data API",
  async setup() {
    const server = await createPostgresDatabase();
    const api = await startDataApi(server.url);
    const client = new RDSData({
      endpoint: api.endpoint,
      region: "eu-central-1",
      credentials: { accessKeyId: "id", secretAccessKey: "key" },
      maxAttempts: 1,
    });
    const connect = (): Database =>
      createDataApiDatabase(client, {
        resourceArn: "arn:aws:rds:eu-central-1:123456789012:cluster:test",
        secretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:test",
        database: "test",
      });
    return {
      database: connect(),
      open: () => Promise.resolve(connect()),
      async teardown() {
        client.destroy();
        await api.stop();
        await server.drop();
      },
    };
  },
});
