// What Prometheus reads of webhooks, and that the guide lists it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { noticeboard } from '../support/domain/noticeboard.ts'
import { readMetrics } from '../support/oracle/prometheus.ts'
import { startReceiver } from '../support/server/receiver.ts'
import { startTestService } from '../support/server/service.ts'

test('metrics of webhooks are those that docs/operating.md lists', async () => {
  const receiver = await startReceiver()
  const service = await startTestService('sqlite', {
    definition: noticeboard,
    environment: { DATA_KEY: randomBytes(32).toString('base64'), METRICS_PORT: '0' },
  })
  try {
    const fixtures = service.fixtures({ ann: { User: {} } })
    const as = { as: '{ann}', fixtures } as const
    await service.send('POST /api/v2/webhooks', { ...as, body: { url: receiver.url, events: ['noteCreated'] } })
    await service.send('POST /api/v2/notes', { ...as, body: { title: 'One' } })
    await service.settled()
    await service.webhooks!.settled()
    const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
    const { families, samples } = readMetrics(await (await fetch(service.metricsUrl!)).text())
    const own = families.filter(({ name }) => name.startsWith('duet_webhook_'))
    assert.equal(own.length, guide.match(/^\| `duet_webhook_/gm)!.length)
    for (const { name, type, help } of own) {
      const row = new RegExp(`^\\| \`${name}\` \\| ${type.toLowerCase()} \\|.*\\| (.*) \\|$`, 'm').exec(guide)
      assert.equal(row?.[1], help, name)
    }
    const outcomes = samples.get('duet_webhook_deliveries_total')!
    const delivered = outcomes.find(({ labels }) => labels?.['outcome'] === 'delivered')
    assert.equal(Number(delivered?.value), 1)
  } finally {
    await service.stop()
    await receiver.close()
  }
})
