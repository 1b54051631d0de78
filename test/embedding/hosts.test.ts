// A sample of the contract through each host. The whole of it: `npm run contract:host -- express`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../../src/store/store.ts'
import { runtime as bun } from '../support/door/bun.ts'
import { type Host, sendContractThrough } from '../support/door/contract-through.ts'
import { runtime as deno } from '../support/door/deno.ts'
import { programOf, type Runtime } from '../support/door/elsewhere.ts'
import { postgresMissing } from '../support/server/databases.ts'

const sample = ['test/contract/4-headers.test.ts']

for (const host of ['express', 'fastify', 'hono'] as const)
  test(`16.1.1 the contract holds through ${host}`, { timeout: 180_000 }, () => holdsThrough(host, 'sqlite'))

for (const [host, runtime] of Object.entries({ bun, deno }))
  test(`16.1.1 the contract holds through ${host}`, { skip: missing(host, runtime), timeout: 180_000 }, () =>
    holdsThrough(host as Host, 'postgres'),
  )

async function holdsThrough(host: Host, engine: Engine): Promise<void> {
  const { passed, failed, report } = await sendContractThrough(host, sample, { TEST_ENGINE: engine })
  assert.equal(
    failed,
    0,
    report
      .split('\n')
      .filter((line) => /^\s*not ok/.test(line))
      .join('\n'),
  )
  assert.ok(passed > 50, report)
}

function missing(host: string, runtime: Runtime): false | string {
  if (programOf(runtime) === null) return `\`npm ci --prefix examples/embedding/${host}\` installs it.`
  return postgresMissing
}
