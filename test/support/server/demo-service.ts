// The reference service with its demo data, for as long as it is asked something.

import { start } from 'duet-api'
import { fillDemo } from '../../../reference/demo.ts'
import { api } from '../../../reference/service.ts'
import { type Client, createClient } from '../client/http-client.ts'
import { dataKey } from './data-key.ts'

/** Starts it with these variables, on a port that is free, and stops it afterwards. */
export async function withDemoService<T>(
  variables: Readonly<Record<string, string>>,
  use: (client: Client, url: string) => Promise<T>,
  demo = fillDemo,
): Promise<T> {
  const service = await start(api, {
    environment: { PORT: '0', LOG_LEVEL: 'error', DATA_KEY: dataKey, ...variables },
    demo,
  })
  const client = createClient(service.url)
  try {
    return await use(client, service.url)
  } finally {
    client.close()
    await service.stop()
  }
}
