// What Prometheus is told of reactions: how they end, how many run, and how late they begin.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { on } from 'duet-api'
import { Post } from '../../reference/post.ts'
import { readMetrics } from '../support/oracle/prometheus.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const read = async ({ metricsUrl }: TestService) => readMetrics(await (await fetch(metricsUrl!)).text())

/** Every sample of reactions, such as `total done` and `running`. */
async function reactionMetrics(service: TestService): Promise<Readonly<Record<string, number>>> {
  const { samples } = await read(service)
  const ofReactions = samples.entries().filter(([name]) => name.startsWith('duet_reactions_'))
  return Object.fromEntries(
    ofReactions.flatMap(([name, each]) =>
      each.map(({ labels = {}, value }) => [
        [name.slice('duet_reactions_'.length), ...Object.values(labels)].join(' '),
        Number(value),
      ]),
    ),
  )
}
/** Resolves with what is told once it is so. */
async function until(service: TestService, isSo: (reactionMetrics: Readonly<Record<string, number>>) => boolean) {
  for (;;) {
    const now = await reactionMetrics(service)
    if (isSo(now)) return now
  }
}
const writePost = (service: TestService, title: string) =>
  service.send('POST /api/v2/posts', { as: 'editor', body: { title, content: 'C' } })

describe('metrics of reactions', () => {
  forEachEngine((engine) => {
    test('tell how they end, how many run, and how late they begin', async () => {
      const begun: { readonly end: () => void; readonly fail: () => void }[] = []
      const slow = on(
        Post,
        'postCreated',
        () => new Promise<void>((end, reject) => begun.push({ end, fail: () => reject(new Error('no')) })),
        { name: 'slow', attempts: 1 },
      )
      const service = await startTestService(engine, {
        reactions: [slow],
        environment: { METRICS_PORT: '0', LIMIT_REACTIONS_AT_ONCE: '1' },
        limits: { eventPollMs: 10 },
      })
      try {
        const none = { 'total done': 0, 'total failed': 0, 'total died': 0, 'total released': 0 }
        assert.deepEqual(await reactionMetrics(service), { ...none, running: 0, lag_seconds: 0 })
        await writePost(service, 'one')
        await until(service, (now) => now['running'] === 1 && begun.length === 1 && now['lag_seconds'] === 0)
        await writePost(service, 'two')
        // On SQLite a read takes no turn, in which the service could do something.
        while ((await service.tables('duet_reaction_task')).length < 2) await nextTurn()
        service.advance(30_000)
        const late = await until(service, (now) => now['lag_seconds']! > 0)
        assert.ok(late['lag_seconds']! >= 29 && late['lag_seconds']! < 31, `${late['lag_seconds']} seconds`)
        assert.equal(late['running'], 1)
        begun[0]!.end()
        await until(service, (now) => now['total done'] === 1 && begun.length === 2 && now['lag_seconds'] === 0)
        begun[1]!.fail()
        const last = await until(service, (now) => now['total died'] === 1)
        assert.deepEqual(last, { ...none, 'total done': 1, 'total died': 1, running: 0, lag_seconds: 0 })
        await assertDocumented(service)
      } finally {
        for (const { end } of begun) end()
        await service.stop()
      }
    })
  })
})

async function assertDocumented(service: TestService): Promise<void> {
  const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const { families } = await read(service)
  for (const { name, type, help } of families.filter((each) => each.name.startsWith('duet_reactions_'))) {
    const row = new RegExp(`^\\| \`${name}\` \\| ${type.toLowerCase()} \\|.*\\| (.*) \\|$`, 'm').exec(guide)
    assert.equal(row?.[1], help, name)
  }
}
