// The reference service signs in at an issuer only if its environment names one. (contract 2.6.8)

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { repository } from '../support/process/command.ts'

const script = "import('./reference/issuers.ts').then(({ issuers }) => console.log(JSON.stringify(issuers)))"
async function issuersWith(environment: Readonly<Record<string, string>>): Promise<unknown> {
  const options = { cwd: repository, env: { ...process.env, ...environment } }
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=duet-source', '-e', script], options)
  return JSON.parse(stdout)
}

test('2.6.8 without OIDC_URL there is no issuer, with it one whose secret is not in the definition', async () => {
  const named = { OIDC_URL: 'https://issuer.example.com', OIDC_CLIENT_ID: 'reference', OIDC_CLIENT_SECRET: 'secret' }
  const [none, one] = await Promise.all([issuersWith({}), issuersWith(named)])
  assert.deepEqual(none, {})
  assert.deepEqual(one, { company: { url: named.OIDC_URL, clientId: named.OIDC_CLIENT_ID } })
})
