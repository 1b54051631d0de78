// Reactions that cannot be, and commands about reactions that cannot be carried out, are refused in a sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { on, type Reaction, ServiceDefinitionError, start } from 'duet-api'
import { Post } from '../../reference/post.ts'
import { api } from '../../reference/service.ts'
import { reactionsCommand } from '../../src/command/verb/reactions.ts'
import { assertRefused, runCommand } from '../support/process/command.ts'
import { dataKey } from '../support/server/data-key.ts'
import { createDatabase } from '../support/server/databases.ts'

test('a contradictory reaction is reported before anything is opened', async () => {
  const react = async () => {}
  const wrong: readonly (readonly [readonly Reaction[], RegExp])[] = [
    [
      [on(Post, 'postCreated', react), on(Post, 'postCreated', react)],
      /postCreated has the name of another reaction or schedule: give/,
    ],
    [[on(Post, 'postMade' as 'postCreated', react)], /postMade listens to postMade, which no action of Post emits/],
    [[on(Post, 'postCreated', react, { name: 'two words' })], /needs a name of letters, digits, _ and -\./],
    [[on(Post, 'postCreated', react, { timeLimitSeconds: 901 })], /may take more than 0 and at most 900 seconds/],
    [[on(Post, 'postCreated', react, { attempts: 0 })], /is tried 1 to 100 times/],
    [[on(Post, 'postCreated', 'x' as never)], /has no handler/],
  ]
  for (const [reactions, sentence] of wrong) {
    await assert.rejects(
      start({ ...api, reactions } as typeof api, { environment: { DATABASE_URL: 'sqlite:/dev/null/x' } }),
      (error) => {
        assert.ok(error instanceof ServiceDefinitionError)
        assert.match(error.message, sentence)
        return true
      },
    )
  }
})

test('a command about reactions that cannot be carried out says why', async () => {
  const database = await createDatabase('sqlite')
  const run = (...args: string[]) => runCommand(reactionsCommand, args, { variables: { DATABASE_URL: database.url } })
  try {
    await assertRefused(run('list'), /start the service first/)
    await (
      await start(api, {
        environment: { PORT: '0', LOG_LEVEL: 'error', DATA_KEY: dataKey, DATABASE_URL: database.url },
      })
    ).stop()
    assert.match(await run(), /^archive +0 +0 +0/m)
    await assertRefused(run('eat'), /Use list, replay, discard or forget/, 2)
    await assertRefused(run('replay'), /Name/, 2)
    await assertRefused(run('discard', '1', '--all'), /Name/, 2)
    await assertRefused(run('replay', '7'), /No dead letter has the number 7/)
    await assertRefused(run('forget'), /Name/, 2)
    await assertRefused(run('forget', '--reaction', 'x'), /There is no reaction x/)
    assert.equal(await run('discard', '--all'), '0 are discarded.\n')
  } finally {
    await database.drop()
  }
})
