// Demo accounts are for whoever tries the service: in production nobody may guess how an admin signs in. (contract 2.10.2)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { demoPassword, start } from 'duet-api'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { createClient } from '../support/client/http-client.ts'
import { dataKey } from '../support/server/data-key.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'

const production = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'error',
  BASE_URL: 'https://api.example.com',
  HOST: '127.0.0.1',
  PORT: '0',
  DATA_KEY: dataKey,
}

describe('2.10 Demo data', () => {
  forEachEngine((engine) => {
    test('2.10.2 in production it stops the start without a password of its own, and is filled with one', async (t) => {
      const database = await createDatabase(engine)
      const ends: (() => unknown)[] = [() => database.drop()]
      t.after(async () => {
        for (const end of ends.reverse()) await end()
      })
      const environment = { ...production, DATABASE_URL: database.url, DEMO_DATA: 'on' }
      const published = start(api, { environment, demo: fillDemo })
      await assert.rejects(
        published.then((service) => service.stop()),
        /^Error: DEMO_DATA=on needs a DEMO_PASSWORD of your own in production: /,
      )

      const own = "it's a secret of ours"
      const service = await start(api, { environment: { ...environment, DEMO_PASSWORD: own }, demo: fillDemo })
      ends.push(() => service.stop())
      const client = createClient(service.url)
      ends.push(() => client.close())
      const signIn = async (password: string) =>
        (await client.send('POST /auth/login', { body: { email: 'admin@example.com', password } })).status
      assert.equal(await signIn(demoPassword), 401)
      assert.equal(await signIn(own), 200)
    })
  })
})
