import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, list, object, optional, text } from 'duet-api'
import { graphqlVocabulary, restVocabulary } from '../../resource/model/vocabulary.ts'
import { renamed } from './renamed.ts'

test('4.15.3 an example of REST has the names of GraphQL, of values too', () => {
  const names = { rest: restVocabulary({ name: 'v1' } as never), graphql: graphqlVocabulary() }
  const rate = choice(['per-hour', 'flat'])
  const spec = object({ dayRate: optional(rate), otherRates: list(rate, { max: 3 }), note: text({ max: 9 }) })
  const value = { day_rate: 'per-hour', other_rates: ['flat', 'per-hour'], note: 'a-b' }
  assert.deepEqual(renamed(spec as never, value, names), {
    dayRate: 'per_hour',
    otherRates: ['flat', 'per_hour'],
    note: 'a-b',
  })
})
