// Each rule as a person reads it, and rules inside rules without a doubt about what belongs together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  absent,
  allOf,
  anyOf,
  anyone,
  atLeast,
  before,
  contains,
  field,
  hasToken,
  may,
  me,
  nobody,
  not,
  now,
  oneOf,
  own,
  present,
  readable,
  self,
  signedIn,
  some,
  through,
  timestamp,
  token,
  when,
} from 'duet-api'
import { api } from '../../../../reference/service.ts'
import { note } from '../../../../test/support/domain/valid-service.ts'
import { type AnyRule, nodeOf } from '../../language/rule/rule.ts'
import { snake } from '../../naming/casing.ts'
import { compileModel } from '../compile/compile-model.ts'
import { ruleSentence } from './rule-sentence.ts'

const model = compileModel(api)
const snaked = (_: unknown, field: string) => snake(field)

test('a rule is a sentence in the words of its face', () => {
  const rows: readonly (readonly [AnyRule, string])[] = [
    [anyone, 'anyone'],
    [nobody, 'nobody'],
    [signedIn, 'anyone who is signed in'],
    [self, 'the account itself'],
    [own('author'), 'its author'],
    [readable('post'), 'readers of its post'],
    [may('publish'), 'holders of posts:publish'],
    [may('edit', own('author')), 'with posts:edit_own its author; holders of posts:edit_any'],
    [when({ status: 'published' }), 'anyone, while status is published'],
    [when({ publishedAt: present }), 'anyone, while published_at is set'],
    [when({ publishedAt: absent, bio: null }), 'anyone, while published_at is not set and bio is not set'],
    [
      when({ publishedAt: new Date(0), emailVerified: false }),
      'anyone, while published_at is 1970-01-01T00:00:00.000Z and email_verified is false',
    ],
    [
      anyOf(when({ publishedAt: present }), own('author'), may('publish')),
      'anyone, while published_at is set; its author; holders of posts:publish',
    ],
    [allOf(when({ status: 'draft' }), own('author')), 'its author, while status is draft'],
    [allOf(when({ status: 'draft' }), when({ title: 'x' })), 'anyone, while status is draft and title is x'],
    [
      allOf(anyOf(own('author'), own('editor')), may('publish')),
      '(its author; its editor), and only holders of posts:publish',
    ],
    [
      allOf(may('edit', own('author')), when({ status: 'draft' })),
      '(with posts:edit_own its author; holders of posts:edit_any), while status is draft',
    ],
    [
      anyOf(allOf(own('author'), when({ status: 'draft' })), may('manage')),
      'its author, while status is draft; holders of posts:manage',
    ],
    [
      allOf(allOf(own('author'), when({ status: 'draft' })), signedIn),
      'its author, and only anyone who is signed in, while status is draft',
    ],
    [not(own('author')), 'anyone but its author'],
    [not(when({ status: 'draft' })), 'anyone, unless status is draft'],
    [
      allOf(when({ status: oneOf('draft', 'published') }), not(anyOf(own('author'), signedIn))),
      '(anyone but (its author; anyone who is signed in)), while status is draft or published',
    ],
    [through('author', self), 'for its author, the account itself'],
    [
      through('author', some('followers', anyOf(self, when({ status: 'ACTIVE' })))),
      'for its author, (for one of its followers, (the account itself; anyone, while status is ACTIVE))',
    ],
    [
      when({ publishedAt: before(now.minus({ days: 7 })), updatedAt: atLeast(field('createdAt')) }),
      'anyone, while published_at is before 7 days before now and updated_at is at least its created_at',
    ],
    [when({ tags: contains('a'), title: me('name') }), "anyone, while tags contain a and title is the caller's name"],
  ]
  for (const [rule, sentence] of rows)
    assert.equal(ruleSentence(nodeOf(rule), model.byName.get('Post')!, snaked), sentence)
})

test('every rule of the reference service can be read', () => {
  const sentences = model.resources.flatMap((resource) =>
    [...resource.actions.values()].map((action) => ruleSentence(action.allow, resource, snaked)),
  )
  assert.ok(sentences.length > 30)
  for (const sentence of sentences) assert.match(sentence, /^[a-z(][a-zA-Z0-9_:;,() -]+$/)
})

test('a sentence says when a token ends, and how often it may be used', () => {
  const rows: readonly (readonly [end: { until?: string; maxUses?: number }, string])[] = [
    [{}, 'anyone with its code'],
    [{ until: 'endsAt' }, 'anyone with its code until ends_at'],
    [{ maxUses: 1 }, 'anyone with its code, for one write'],
    [{ until: 'endsAt', maxUses: 3 }, 'anyone with its code until ends_at, for at most 3 writes'],
  ]
  for (const [end, sentence] of rows) {
    const service = note({ code: token({ prefix: 'note', ...end }), endsAt: timestamp() })
    const resource = compileModel(service).byName.get('Note')!
    assert.equal(ruleSentence(nodeOf(hasToken('code') as never), resource, snaked), sentence)
  }
})
