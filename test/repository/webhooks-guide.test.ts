// Runs the receiver of docs/webhooks.md as it stands there, with messages that another library signs.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { repository } from '../support/process/command.ts'

test('the receiver handles what was signed, and refuses the rest', async (t) => {
  const guide = await readFile(join(repository, 'docs/webhooks.md'), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(repository, join(folder, 'node_modules/duet-api'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'handle.ts'),
    'export const ids: string[] = []\nexport const handleOnce = async (id: string) => void ids.push(id)\n',
  )
  const [, text] = /^```ts receive\.ts\n(.*?)^```$/ms.exec(guide)!
  await writeFile(join(folder, 'receive.ts'), text!)

  const secret = `whsec_${btoa('a secret that is long enough for it')}`
  process.env['WEBHOOK_SECRET'] = secret
  t.after(() => delete process.env['WEBHOOK_SECRET'])
  const { receive } = await import(join(folder, 'receive.ts'))
  const { ids } = await import(join(folder, 'handle.ts'))
  const body = JSON.stringify({ type: 'orderPaid', timestamp: new Date(), data: { id: 'ord_1' } })
  const send = async (signer: string) => {
    const at = new Date()
    const headers = {
      'webhook-id': 'whd_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(signer).sign('whd_1', at, body),
    }
    return (await receive(new Request('http://localhost/hooks', { method: 'POST', headers, body }))).status
  }
  assert.equal(await send(secret), 204)
  assert.equal(await send(`whsec_${btoa('another secret, as long as the first')}`), 400)
  assert.deepEqual(ids, ['whd_1'])
})
