// Hosts that CI fetches: the examples for Bun and Deno, and a sample of the contract through each. One file, so that no two processes
// fetch the same host.

import { test } from 'node:test'
import { runtime as bun } from '../support/host/bun.ts'
import { assertSampleThrough } from '../support/host/contract-through.ts'
import { runtime as deno } from '../support/host/deno.ts'
import { programOf } from '../support/host/elsewhere.ts'
import { startExample, useExample } from '../support/host/example.ts'
import { fetchHost, withoutHost } from '../support/host/fetched-host.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'

const timeout = 240_000

for (const runtime of [bun, deno]) {
  const { host, args } = runtime
  const skip = withoutHost(host) || postgresMissing
  test(`examples/embedding/${host} serves both faces and its own route`, { skip, timeout }, async (t) => {
    await fetchHost(host)
    const database = await createDatabase('postgres')
    const url = await startExample(t, host, { program: programOf(runtime), args }, database.url)
    // The process has ended before.
    t.after(() => database.drop())
    await useExample(url, host)
  })

  test(`16.1.1 the contract holds through ${host}`, { skip, timeout }, () => assertSampleThrough(host, 'postgres'))
}

test('16.1.1 the contract holds through next', { skip: withoutHost('next'), timeout }, () =>
  assertSampleThrough('next', 'sqlite'),
)
