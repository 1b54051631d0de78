// The typed client against the running reference service, in Node: what it must survive. (contract 4.12, 6.3.3)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { endings, stories } from '../support/client/client-stories.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { openStage, type Stage } from '../support/server/replaceable-service.ts'

forEachEngine((engine) => {
  let stage: Stage
  before(async () => {
    stage = await openStage(engine)
  })
  after(() => stage?.stop())

  for (const [name, story] of Object.entries(stories)) {
    test(name, async () => {
      assert.deepEqual(await story(stage), endings[name as keyof typeof endings])
    })
  }
})
