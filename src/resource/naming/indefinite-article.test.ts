import assert from 'node:assert/strict'
import { test } from 'node:test'
import { a } from './indefinite-article.ts'

test('the article follows how a name is spoken', () => {
  const an = ['ApiKey', 'api key', 'object', 'integer', 'Order', 'entry', 'update', 'unread mail', 'hour', 'Umbrella']
  const other = ['User', 'unit', 'usage', 'one', 'Post', 'text', 'euro', 'house', 'URL']
  for (const word of an) assert.equal(a(word), `an ${word}`)
  for (const word of other) assert.equal(a(word), `a ${word}`)
})
