// Started by a test that kills it: an instance on the database named by its first argument, at the time named by its second,
// which begins to react to every post, says so, and never ends.

import { on } from 'duet-api'
import { Post } from '../../../reference/post.ts'
import { startInstance } from '../server/instance.ts'

const [, , databaseUrl, start] = process.argv as [string, string, string, string]
const endless = on(Post, 'postCreated', ({ id, attempt }) => {
  process.stdout.write(`${id} ${attempt}\n`)
  return new Promise(() => {})
})
await startInstance({ databaseUrl, now: () => new Date(start) }, { reactions: [endless] })
process.stdout.write('ready\n')
// It goes when its input has ended.
process.stdin.resume().once('end', () => process.exit())
